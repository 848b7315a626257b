import { Icon, useI18n, useNow, useTexts } from "../../../console/index.ts";
import { LEAD_TEXTS } from "./lead-texts.ts";
import type { PlannerTask } from "./planner-calls.ts";

type Timed = Pick<PlannerTask, "status" | "due_at" | "estimate_minutes"> &
  Pick<Partial<PlannerTask>, "lateness">;

/** The due date and the estimate of a task; marked if it is late or will be. */
export function DueMark({ task: { status, due_at, estimate_minutes, lateness } }: { task: Timed }) {
  const { f } = useI18n();
  const texts = useTexts(LEAD_TEXTS);
  const now = useNow(10);
  const isOpen = status !== "done" && status !== "canceled";
  const overdueMs = due_at === null || !isOpen ? 0 : now - Date.parse(due_at);
  return (
    <>
      {due_at !== null && overdueMs > 0 && (
        <span className="chip plain" data-tone="bad" data-late="late" title={f.moment(due_at)}>
          <Icon name="clock" />
          {texts.lateBy(f.span(overdueMs / 1_000))}
        </span>
      )}
      {due_at !== null && overdueMs <= 0 && (
        <span
          className={lateness ? "chip plain" : "faint num"}
          {...(lateness ? { "data-tone": "warn", "data-late": lateness.state } : {})}
          title={lateness ? texts.readyAt(f.moment(lateness.ready_at)) : undefined}
        >
          {texts.due(f.moment(due_at))}
        </span>
      )}
      {isOpen && estimate_minutes !== null && (
        <span className="faint num">{texts.estimate(f.span(estimate_minutes * 60))}</span>
      )}
    </>
  );
}
