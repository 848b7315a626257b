import { useQuery } from "@tanstack/react-query";
import {
  EmptyState,
  Icon,
  LifecycleHead,
  Loaded,
  ProjectPicker,
  queries,
  useI18n,
  useLiveQuery,
  useNow,
  useOutbox,
  useTexts,
} from "../../../console/index.ts";
import { MAX_ROWS, planner, useMayTake, useProject } from "./planner-calls.ts";
import type { PlannerTask, Pooled } from "./planner-calls.ts";
import { NextTask } from "./next-task.tsx";
import { splitQueue, takenFrom, withQueue } from "./queued-work.ts";
import type { Definition, QueuedWork } from "./queued-work.ts";
import { RefusedActions } from "./refused-actions.tsx";
import { SubmittedTasks } from "./submitted-tasks.tsx";
import { useWorkQueue } from "./use-work-queue.ts";
import { WaitingActions } from "./waiting-actions.tsx";
import { WorkCard } from "./work-card.tsx";
import { WORK_TEXTS } from "./work-texts.ts";
import "./work.css";

/** Shifts add no events. They change rarely, and phones pay for each request. */
const SHIFT_POLL_MS = 60_000;

/** An executor's own work, made for a phone: the current task, its actions, and the next task. */
export default function WorkScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(WORK_TEXTS);
  const mayTake = useMayTake();
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      {mayTake ? (
        <Work lifecycle={lifecycle} />
      ) : (
        <EmptyState icon="hand" title={texts.notForYou} hint={texts.notForYouHint} />
      )}
    </>
  );
}

function Work({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const definition = useQuery(queries.lifecycle(lifecycle));
  const held = useLiveQuery({
    lifecycle,
    key: ["mine", project],
    ask: (signal) =>
      planner.listPlannerTasks(
        { assigned_to: "me", status: ["assigned", "in_progress", "submitted"], ...project },
        { signal },
      ),
  });
  const pool = useLiveQuery({
    lifecycle,
    key: ["pool", project],
    ask: (signal) => planner.getPlannerPool({ ...project, limit: MAX_ROWS }, { signal }),
  });
  return (
    <div className="my-work">
      <ShiftLine lifecycle={lifecycle} />
      <WaitingNote />
      {!held.data && <Unlisted lifecycle={lifecycle} listed={NONE} />}
      <Loaded of={[definition, held, pool]}>
        {(rules, { tasks }, { tasks: free }) => (
          <Tasks lifecycle={lifecycle} definition={rules} held={tasks} pool={free} />
        )}
      </Loaded>
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

function Tasks({
  lifecycle,
  definition,
  held,
  pool,
}: {
  lifecycle: string;
  definition: Definition;
  held: readonly PlannerTask[];
  pool: readonly Pooled[];
}) {
  const queue = useWorkQueue(lifecycle);
  const works = [...held, ...takenFrom(pool, held, queue)].map((task) => withQueue(task, queue, definition));
  const current = works.filter(({ status }) => status === "assigned" || status === "in_progress");
  const submitted = works.filter(({ status }) => status === "submitted");
  const isShown = new Set(works.map(({ task }) => task.id));
  return (
    <>
      <Unlisted lifecycle={lifecycle} listed={isShown} />
      {current.map((work) => (
        <WorkCard key={work.task.id} lifecycle={lifecycle} work={work} definition={definition} />
      ))}
      <SubmittedTasks lifecycle={lifecycle} works={submitted.filter(isUnsettled)} definition={definition} />
      <NextTask
        lifecycle={lifecycle}
        pool={pool.filter(({ id }) => !isShown.has(id))}
        isFree={current.length === 0}
      />
      <SubmittedTasks
        lifecycle={lifecycle}
        works={submitted.filter((work) => !isUnsettled(work))}
        definition={definition}
      />
    </>
  );
}

function isUnsettled({ waiting, refused }: QueuedWork): boolean {
  return waiting.length > 0 || refused.length > 0;
}

/** Actions on tasks that are not, or no longer, the member's own, or that could not be loaded. */
function Unlisted({ lifecycle, listed }: { lifecycle: string; listed: ReadonlySet<string> }) {
  const { entries } = useOutbox();
  const ids = new Set(entries.map(({ task_id }) => task_id).filter((id) => !listed.has(id)));
  return [...ids].map((id) => {
    const own = entries.filter(({ task_id }) => task_id === id);
    const { waiting, refused } = splitQueue(own);
    return (
      <section key={id} className="card work-card" aria-label={own[0]?.title}>
        <div className="work-body">
          {refused.length === 0 && <h2>{own[0]?.title}</h2>}
          <WaitingActions entries={waiting} />
          <RefusedActions lifecycle={lifecycle} refused={refused} />
        </div>
      </section>
    );
  });
}

/** The running shift of the member, or the next one. */
function ShiftLine({ lifecycle }: { lifecycle: string }) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const project = useProject();
  const now = useNow(10);
  const { data } = useLiveQuery({
    lifecycle,
    key: ["my-shifts", project],
    ask: (signal) => planner.listMyShifts({ ...project, from: new Date().toISOString() }, { signal }),
    everyMs: SHIFT_POLL_MS,
  });
  if (!data) return null;
  const coming = data.shifts
    .filter(({ canceled_at, ends_at }) => canceled_at === null && Date.parse(ends_at) > now)
    .toSorted((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at));
  const running = coming.find(({ starts_at }) => Date.parse(starts_at) <= now);
  const [next] = coming;
  return (
    <p className="row shift-line" data-shift={running ? "running" : "none"}>
      <Icon name="clock" />
      <span>
        {running
          ? texts.onShift(f.moment(running.ends_at), f.span((Date.parse(running.ends_at) - now) / 1_000))
          : `${texts.noShift} ${next ? texts.nextShift(f.moment(next.starts_at)) : texts.noShiftPlanned}`}
      </span>
    </p>
  );
}

function WaitingNote() {
  const texts = useTexts(WORK_TEXTS);
  const { entries, isVolatile } = useOutbox();
  const waiting = entries.filter(({ refusal }) => refusal === null).length;
  if (waiting === 0) return null;
  return (
    <div className="note unsent" data-tone="warn" role="status">
      <Icon name="clock" />
      <div className="stack tight">
        <b>{texts.waitingCount(waiting)}</b>
        <span>{isVolatile ? texts.notStored : texts.stored}</span>
      </div>
    </div>
  );
}
