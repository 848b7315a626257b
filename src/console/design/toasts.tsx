import { useSyncExternalStore } from "react";
import { useI18n } from "../texts/i18n.tsx";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

type Toast = { id: number; tone: "good" | "bad"; text: string };

const SHOWN_MS = 6_000;
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

/** Shows a short message for a few seconds. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const id = ++count;
  set([...toasts.slice(-3), { id, tone, text }]);
  setTimeout(() => {
    drop(id);
  }, SHOWN_MS);
}

export function Toasts() {
  const { t } = useI18n();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" aria-live="polite">
      {shown.map(({ id, tone, text }) => (
        <div key={id} className="toast" data-tone={tone}>
          <Icon name={tone === "good" ? "check" : "alert"} />
          <div>{text}</div>
          <IconButton
            icon="close"
            small
            label={t.common.close}
            onClick={() => {
              drop(id);
            }}
          />
        </div>
      ))}
    </div>
  );
}

function drop(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
