import { addresses, Link, StatusChip, useI18n, useNow, useTexts } from "../../../console/index.ts";
import type { Definition, QueuedWork } from "./queued-work.ts";
import { RefusedActions } from "./refused-actions.tsx";
import { WaitingActions } from "./waiting-actions.tsx";
import { WorkActions } from "./work-actions.tsx";
import { WORK_TEXTS } from "./work-texts.ts";

/** The member's tasks that wait for their review. */
export function SubmittedTasks({
  lifecycle,
  works,
  definition,
}: {
  lifecycle: string;
  works: readonly QueuedWork[];
  definition: Definition;
}) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const now = useNow(10);
  return works.map((work) => (
    <section
      key={work.task.id}
      className="card work-card in-review"
      aria-label={texts.inReview}
      data-task={work.task.id}
    >
      <div className="work-body">
        <div className="row wrap small">
          <StatusChip lifecycle={lifecycle} status={work.status} />
          {work.task.submitted_at !== null && work.waiting.length === 0 && (
            <span className="faint num">{texts.submitted(f.ago(work.task.submitted_at, now))}</span>
          )}
        </div>
        <h2>
          <Link href={addresses.task(work.task.id)}>{work.task.title}</Link>
        </h2>
        <RefusedActions lifecycle={lifecycle} refused={work.refused} />
        <WaitingActions entries={work.waiting} />
      </div>
      <WorkActions lifecycle={lifecycle} work={work} definition={definition} />
    </section>
  ));
}
