import { useEffect } from "react";
import { addresses } from "../addresses.ts";
import { navigate } from "../router.tsx";

const GO_TO: Readonly<Record<string, string>> = {
  o: addresses.overview,
  t: addresses.tasksBy({ owner: "me" }),
  e: addresses.events,
  m: addresses.members,
  s: addresses.settings,
};
/** Maximum time between `g` and the next letter. */
const MAX_PAUSE_MS = 1_200;

/** Keyboard shortcuts, except while typing. */
export function useShortcuts({
  openPalette,
  openHelp,
}: {
  openPalette: () => void;
  openHelp: () => void;
}): void {
  useEffect(() => {
    let wentAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      const key = latinKey(event);
      if ((event.ctrlKey || event.metaKey) && key === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      const isInactive = isTyping(event.target) || document.querySelector("dialog[open]") !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || isInactive) return;
      if (event.key === "?") {
        event.preventDefault();
        openHelp();
      } else if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (field) event.preventDefault();
        field?.focus();
      } else if (key === "g") wentAt = Date.now();
      else if (Date.now() - wentAt < MAX_PAUSE_MS && Object.hasOwn(GO_TO, key)) {
        wentAt = 0;
        // The focused card has shortcuts of its own.
        event.stopPropagation();
        event.preventDefault();
        navigate(GO_TO[key] as string);
      }
    };
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKeyDown, { capture: true });
    };
  }, []);
}

/** The Latin letter of a key; with another keyboard layout, the letter at the same position. */
export function latinKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  return /^[\x20-\x7e]$/.test(key) ? key.toLowerCase() : (letter ?? key).toLowerCase();
}

/** True if a key goes into a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
