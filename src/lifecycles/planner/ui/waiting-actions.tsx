import { Icon, useI18n, useTexts } from "../../../console/index.ts";
import type { OutboxEntry } from "../../../console/index.ts";
import { REPORT_DEFECT } from "./use-work-queue.ts";
import { WORK_TEXTS } from "./work-texts.ts";

/** The actions on a task that are tapped and not carried out yet, in the order in which they are sent. */
export function WaitingActions({ entries }: { entries: readonly OutboxEntry[] }) {
  const texts = useTexts(WORK_TEXTS);
  const nameOf = useActionName();
  if (entries.length === 0) return null;
  return (
    <ol className="waiting-actions">
      {entries.map(({ key, action, text }) => (
        <li key={key} data-waiting={action}>
          <Icon name="clock" />
          <div className="stack tight">
            <span>
              <b>{nameOf(action)}</b> · {texts.waiting}
            </span>
            {text !== null && <p className="written soft">{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Returns the label of an action, also of reporting a defect, which is none of the lifecycle. */
export function useActionName(): (action: string) => string {
  const { n } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  return (action) => (action === REPORT_DEFECT ? texts.reportDefect.replace("…", "") : n.action(action));
}
