import { useEffect } from "react";
import { addresses } from "../../addresses.ts";
import { IconButton } from "../../design/button.tsx";
import { toast } from "../../design/toasts.tsx";
import { Link, navigate } from "../../router.tsx";
import { isTyping, latinKey } from "../../shell/shortcuts.ts";
import { neighboursOf } from "../../tasks/last-list.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { taskTexts } from "./task-texts.ts";

/** Beside the path of a task: its place in the list that it was opened from, and the link to copy. */
export function PageTools({ id }: { id: string }) {
  const { f } = useI18n();
  const t = useTexts(taskTexts);
  const neighbours = neighboursOf(id);
  const open = (other: string | null | undefined) => {
    if (other != null) navigate(addresses.task(other));
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isInactive = isTyping(event.target) || document.querySelector("dialog[open]") !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || isInactive) return;
      const key = latinKey(event);
      if (key === "j") open(neighbours?.next);
      else if (key === "k") open(neighbours?.previous);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
    };
  }, [neighbours?.next, neighbours?.previous]);
  const copy = async () => {
    const { clipboard } = navigator as { clipboard?: Clipboard };
    if (!clipboard) {
      toast(t.copyByHand, "bad");
      return;
    }
    await clipboard.writeText(location.origin + addresses.task(id));
    toast(t.linkCopied);
  };
  return (
    <span className="push row page-tools">
      {neighbours && (
        <>
          <IconButton
            icon="left"
            small
            label={t.previous}
            disabled={neighbours.previous === null}
            onClick={() => {
              open(neighbours.previous);
            }}
          />
          <Link href={neighbours.href} className="num faint" title={t.backToList}>
            {t.place(f.number(neighbours.index + 1), f.number(neighbours.count))}
          </Link>
          <IconButton
            icon="right"
            small
            label={t.next}
            disabled={neighbours.next === null}
            onClick={() => {
              open(neighbours.next);
            }}
          />
        </>
      )}
      <IconButton icon="link" small label={t.copyLink} onClick={() => void copy()} />
    </span>
  );
}
