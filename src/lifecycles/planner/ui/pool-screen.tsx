import {
  Button,
  ActionButton,
  EmptyState,
  Icon,
  LifecycleHead,
  ProjectPicker,
  StatusChip,
  toast,
  useRefetch,
  useAttempt,
  useLiveQuery,
  useNow,
  useTexts,
  useI18n,
  Loaded,
  ListCard,
} from "../../../console/index.ts";
import { MOST, planner, useIsLead, useMayTake, useProject } from "./planner-calls.ts";
import type { PlannerTask, Pooled } from "./planner-calls.ts";
import { TaskLine } from "./task-line.tsx";
import { TEXTS } from "./texts.ts";
import "./planner.css";

/** What I work on, and what there is to take. */
export default function PoolScreen({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const pool = useLiveQuery({
    lifecycle,
    key: ["pool", project],
    ask: (signal) => planner.getPlannerPool({ ...project, limit: MOST }, { signal }),
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
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[pool, mine]}>
        {(free, held) => (
          <div className="floor">
            <Mine lifecycle={lifecycle} tasks={held.tasks} />
            <Pool lifecycle={lifecycle} tasks={free.tasks} />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** The next step of a task of mine. */
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
  const askAnew = useRefetch(lifecycle);
  const [busy, attempt] = useAttempt();
  const take = async () => {
    const { task } = await planner.claimPlannerTask(project);
    toast(task ? texts.tookBest(task.title) : texts.nothingToTake);
    await askAnew();
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

/** The button that takes it; or all the reasons why it cannot be taken. */
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
