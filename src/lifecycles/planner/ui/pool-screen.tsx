import {
  Button,
  ActionButton,
  EmptyState,
  Icon,
  StatusChip,
  toast,
  useRefetch,
  useToastOnError,
  useLiveQuery,
  useNow,
  useTexts,
  useI18n,
  ListCard,
} from "../../../console/index.ts";
import { MAX_ROWS, planner, useIsLead, useMayTake, useProject } from "./planner-calls.ts";
import type { PlannerTask, Pooled } from "./planner-calls.ts";
import { PlannerScreen } from "./planner-screen.tsx";
import { TaskLine } from "./task-line.tsx";
import { TEXTS } from "./texts.ts";

/** The user's tasks, and the tasks in the pool. */
export default function PoolScreen({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const pool = useLiveQuery({
    lifecycle,
    key: ["pool", project],
    ask: (signal) => planner.getPlannerPool({ ...project, limit: MAX_ROWS }, { signal }),
  });
  const mine = useLiveQuery({
    lifecycle,
    key: ["mine", project],
    ask: (signal) =>
      planner.listPlannerTasks(
        { assigned_to: "me", status: ["assigned", "in_progress", "submitted"], ...project },
        { signal },
      ),
  });
  return (
    <PlannerScreen lifecycle={lifecycle} queries={[pool, mine]} layout="floor">
      {(free, held) => (
        <>
          <Mine lifecycle={lifecycle} tasks={held.tasks} />
          <Pool lifecycle={lifecycle} tasks={free.tasks} />
        </>
      )}
    </PlannerScreen>
  );
}

/** The user's next action on a task, by status. */
const NEXT: Partial<Record<PlannerTask["status"], "start" | "submit">> = {
  assigned: "start",
  in_progress: "submit",
};

function Mine({ lifecycle, tasks }: { lifecycle: string; tasks: readonly PlannerTask[] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const mayTake = useMayTake();
  const now = useNow(1);
  return (
    <section className="card" aria-label={texts.mine}>
      <header className="head">
        <h2>{texts.mine}</h2>
        <span className="push" />
        {mayTake && <TakeBest lifecycle={lifecycle} />}
      </header>
      {tasks.length === 0 ? (
        <EmptyState compact icon="hand" title={texts.mineEmpty} hint={texts.mineEmptyHint} />
      ) : (
        <ul className="lines">
          {tasks.map((task) => {
            const next = NEXT[task.status];
            const since = task.submitted_at ?? task.started_at ?? task.assigned_at ?? task.updated_at;
            return (
              <li key={task.id} data-task={task.id}>
                <TaskLine task={task}>
                  <StatusChip lifecycle={lifecycle} status={task.status} />
                  <span className="faint small num">
                    {texts.since(f.span((now - Date.parse(since)) / 1_000))}
                  </span>
                </TaskLine>
                <div className="row wrap">
                  {next && (
                    <ActionButton
                      lifecycle={lifecycle}
                      task={task}
                      action={next}
                      label={texts.actions[next]}
                      look="main"
                    />
                  )}
                  <ActionButton
                    lifecycle={lifecycle}
                    task={task}
                    action="escalate"
                    label={texts.actions.escalate}
                  />
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function TakeBest({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const project = useProject();
  const refetch = useRefetch(lifecycle);
  const [busy, attempt] = useToastOnError();
  const take = async () => {
    const { task } = await planner.claimPlannerTask(project);
    toast(task ? texts.tookBest(task.title) : texts.nothingToTake);
    await refetch();
  };
  return (
    <Button small disabled={busy} onClick={() => void attempt(take)}>
      {texts.takeBest}
    </Button>
  );
}

function Pool({ lifecycle, tasks }: { lifecycle: string; tasks: readonly Pooled[] }) {
  const texts = useTexts(TEXTS);
  return (
    <ListCard
      title={texts.pool}
      count={tasks.length}
      empty={<EmptyState compact title={texts.poolEmpty} hint={texts.poolEmptyHint} />}
    >
      {tasks.map((task) => (
        <li key={task.id} className="pooled" data-task={task.id}>
          <TaskLine task={task} />
          <Taking lifecycle={lifecycle} task={task} />
        </li>
      ))}
    </ListCard>
  );
}

/** The buttons to take or assign a task, or all reasons why the user cannot take it. */
function Taking({ lifecycle, task }: { lifecycle: string; task: Pooled }) {
  const texts = useTexts(TEXTS);
  const isLead = useIsLead();
  const mayTake = useMayTake();
  return (
    <>
      <span className="row">
        {isLead && <ActionButton lifecycle={lifecycle} task={task} action="assign" label={texts.assign} />}
        {mayTake && (
          <ActionButton
            lifecycle={lifecycle}
            task={task}
            action="self_assign"
            label={texts.take}
            disabled={!task.can_self_assign}
            {...(task.can_self_assign ? { look: "main" as const } : { title: texts.whyNot })}
          />
        )}
      </span>
      {!task.can_self_assign && (mayTake || !isLead) && (
        <ul className="reasons small">
          {task.reasons.map(({ code, detail }) => (
            <li key={code} title={detail} data-code={code}>
              <Icon name="lock" />
              {texts.refusals[code] ?? detail}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
