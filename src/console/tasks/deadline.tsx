import type { Task } from "../data/client.ts";
import { useNow } from "../design/clock.ts";
import { useI18n } from "../texts/i18n.tsx";
import "./tasks.css";

/** Time left until the next timer, as a shrinking bar and a text; `short` for narrow columns. */
export function Deadline({ task, short = false }: { task: Task; short?: boolean }) {
  const { t, f, n } = useI18n();
  const now = useNow(5);
  if (task.due_at === null) return null;
  const due = Date.parse(task.due_at);
  const begun = Math.max(Date.parse(task.entered_at), task.lease ? Date.parse(task.lease.heartbeat_at) : 0);
  const left = due - now;
  const share = Math.min(1, Math.max(0, left / Math.max(1, due - begun)));
  const tone = left <= 0 || share < 0.12 ? "bad" : share < 0.35 ? "warn" : "accent";
  const text = left > 0 ? t.board.due(f.span(left / 1_000)) : t.board.overdue(f.span(-left / 1_000));
  const then = task.due_action === null ? "" : ` · ${t.task.thenDo(n.action(task.due_action))}`;
  return (
    <span className="deadline" data-tone={tone} title={`${f.moment(due)}${then}`}>
      <span className="bar">
        <i style={{ transform: `scaleX(${share.toFixed(3)})` }} />
      </span>
      <span className="num">{short && left > 0 ? f.span(left / 1_000) : text}</span>
    </span>
  );
}
