import { useQueries } from "@tanstack/react-query";
import {
  ActionButton,
  EmptyState,
  keys,
  Person,
  useLiveQuery,
  useMe,
  useNow,
  useTexts,
  useI18n,
  ListCard,
} from "../../../console/index.ts";
import { MAX_ROWS, planner, useIsLead, useProject } from "./planner-calls.ts";
import type { Escalation, PlannerTask } from "./planner-calls.ts";
import { PlannerScreen } from "./planner-screen.tsx";
import { ResolveCall } from "./resolve-call.tsx";
import { TaskLine } from "./task-line.tsx";
import { TEXTS } from "./texts.ts";

/** Maximum number of tasks whose calls are loaded. */
const MAX_CALLS = 30;

/** Work for leads: submitted tasks, and calls for help. */
export default function ReviewScreen({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const submitted = useLiveQuery({
    lifecycle,
    key: ["submitted", project],
    ask: (signal) =>
      planner.listPlannerTasks({ status: ["submitted"], limit: MAX_ROWS, ...project }, { signal }),
  });
  const flagged = useLiveQuery({
    lifecycle,
    key: ["flagged", project],
    ask: (signal) =>
      planner.listPlannerTasks({ needs_attention: true, limit: MAX_CALLS, ...project }, { signal }),
  });
  return (
    <PlannerScreen lifecycle={lifecycle} queries={[submitted, flagged]} layout="floor">
      {(queue, calls) => (
        <>
          <Queue lifecycle={lifecycle} tasks={queue.tasks} />
          <Calls lifecycle={lifecycle} tasks={calls.tasks} />
        </>
      )}
    </PlannerScreen>
  );
}

function Queue({ lifecycle, tasks }: { lifecycle: string; tasks: readonly PlannerTask[] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const isLead = useIsLead();
  const me = useMe();
  const now = useNow(10);
  return (
    <ListCard
      title={texts.review}
      count={tasks.length}
      empty={<EmptyState compact title={texts.reviewEmpty} hint={texts.reviewEmptyHint} />}
    >
      {tasks.map((task) => (
        <li key={task.id} data-task={task.id}>
          <TaskLine task={task}>
            <Person id={task.assigned_to} />
            {task.submitted_at !== null && (
              <span className="faint num">{texts.submitted(f.ago(task.submitted_at, now))}</span>
            )}
          </TaskLine>
          {(isLead || task.assigned_to === me.id) && (
            <div className="row wrap">
              <ActionButton
                lifecycle={lifecycle}
                task={task}
                action="review_approve"
                label={texts.approve}
                look="main"
              />
              {isLead && (
                <ActionButton lifecycle={lifecycle} task={task} action="review_reject" label={texts.reject} />
              )}
            </div>
          )}
        </li>
      ))}
    </ListCard>
  );
}

function Calls({ lifecycle, tasks }: { lifecycle: string; tasks: readonly PlannerTask[] }) {
  const texts = useTexts(TEXTS);
  const found = useQueries({
    queries: tasks.map(({ id, row_version }) => ({
      queryKey: [...keys.all, "own", lifecycle, "escalations", id, row_version],
      queryFn: async () => (await planner.listEscalations({ id })).escalations,
    })),
  });
  const calls = tasks.map((task, index) => ({
    task,
    open: (found[index]?.data ?? []).filter(({ resolved_at }) => resolved_at === null),
  }));
  return (
    <ListCard title={texts.calls} count={tasks.length} tone="warn" empty={texts.callsEmpty}>
      {calls.map(({ task, open }) => (
        <li key={task.id} data-task={task.id}>
          <TaskLine task={task}>
            {open.length === 0 && <span className="soft">{texts.attention}</span>}
          </TaskLine>
          {open.map((call) => (
            <Call key={call.id} lifecycle={lifecycle} task={task} call={call} />
          ))}
        </li>
      ))}
    </ListCard>
  );
}

function Call({ lifecycle, task, call }: { lifecycle: string; task: PlannerTask; call: Escalation }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const isLead = useIsLead();
  const now = useNow(10);
  return (
    <div className="call">
      <div className="row wrap small">
        <span className="chip plain" data-tone="warn">
          {texts.reasons[call.reason]}
        </span>
        <Person id={call.opened_by} />
        <span className="faint num">{f.ago(call.opened_at, now)}</span>
      </div>
      {call.text !== null && <p>{call.text}</p>}
      {isLead && <ResolveCall lifecycle={lifecycle} task={task} escalationId={call.id} />}
    </div>
  );
}
