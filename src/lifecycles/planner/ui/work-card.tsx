import type { ReactNode } from "react";
import {
  addresses,
  Icon,
  Link,
  StatusChip,
  useI18n,
  useLiveQuery,
  useMemberNames,
  useNow,
  useTexts,
} from "../../../console/index.ts";
import { DueMark } from "./due-mark.tsx";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { planner } from "./planner-calls.ts";
import type { Escalation, PlannerTask } from "./planner-calls.ts";
import type { Definition, QueuedWork } from "./queued-work.ts";
import { RefusedActions } from "./refused-actions.tsx";
import { TEXTS } from "./texts.ts";
import { WaitingActions } from "./waiting-actions.tsx";
import { WorkActions } from "./work-actions.tsx";
import { WORK_TEXTS } from "./work-texts.ts";

/** The current task: what to do, what happened to it, and its actions. */
export function WorkCard({
  lifecycle,
  work,
  definition,
}: {
  lifecycle: string;
  work: QueuedWork;
  definition: Definition;
}) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const now = useNow(10);
  const { task, status } = work;
  const since = task.started_at ?? task.assigned_at ?? task.updated_at;
  return (
    <section className="card work-card" aria-label={texts.current} data-task={task.id} data-status={status}>
      <div className="work-body">
        <div className="row wrap small">
          <StatusChip lifecycle={lifecycle} status={status} />
          <span className="faint num">{texts.since(f.span((now - Date.parse(since)) / 1_000))}</span>
          <DueMark task={task} />
        </div>
        <h2>
          <Link href={addresses.task(task.id)}>{task.title}</Link>
        </h2>
        <RefusedActions lifecycle={lifecycle} refused={work.refused} />
        <WaitingActions entries={work.waiting} />
        <ReturnNote task={task} />
        {task.holds.map((hold) => (
          <Hold key={hold.id} hold={hold} />
        ))}
        <HelpNotes lifecycle={lifecycle} task={task} />
        <Facts lifecycle={lifecycle} task={task} />
        <div className="stack tight">
          <h3>{texts.instructions}</h3>
          {task.description ? (
            <p className="written">{task.description}</p>
          ) : (
            <p className="faint">{texts.noInstructions}</p>
          )}
        </div>
      </div>
      <WorkActions lifecycle={lifecycle} work={work} definition={definition} />
    </section>
  );
}

function Note({
  tone,
  title,
  children,
}: {
  tone: "warn" | "bad" | "blue";
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="note" data-tone={tone}>
      <Icon name={tone === "blue" ? "hand" : tone === "bad" ? "renew" : "pause"} />
      <div className="stack tight">
        <b>{title}</b>
        {children}
      </div>
    </div>
  );
}

/** The reviewer's words, if the last move sent the task back. */
function ReturnNote({ task: { id, status, row_version } }: { task: PlannerTask }) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const nameOf = useMemberNames();
  const now = useNow(10);
  const { data } = useLiveQuery({
    lifecycle: "planner",
    key: ["log", id],
    ask: (signal) =>
      planner.listPlannerTransitions({ id, after: Math.max(0, row_version - LOG_LENGTH) }, { signal }),
    enabled: status === "in_progress",
  });
  const last = data?.transitions.findLast(({ from_status, to_status }) => from_status !== to_status);
  if (status !== "in_progress" || last?.action !== "review_reject") return null;
  const { reason } = last.payload as { reason?: string };
  return (
    <Note tone="bad" title={texts.sentBack(nameOf(last.actor_id), f.ago(last.created_at, now))}>
      <p className="written">{reason}</p>
    </Note>
  );
}

/** The latest moves of a task that are searched for its return. */
const LOG_LENGTH = 200;

function Hold({ hold: { kind, reason } }: { hold: PlannerTask["holds"][number] }) {
  const texts = useTexts(WORK_TEXTS);
  const { holds } = useTexts(LEAD_TEXTS);
  return (
    <Note tone="warn" title={texts.onHold(holds[kind] ?? kind)}>
      <p className="written">{reason}</p>
    </Note>
  );
}

/** Calls for help since the member has the task, with their answers. */
function HelpNotes({ lifecycle, task }: { lifecycle: string; task: PlannerTask }) {
  const { data } = useLiveQuery({
    lifecycle,
    key: ["escalations", task.id],
    ask: (signal) => planner.listEscalations({ id: task.id }, { signal }),
  });
  const since = Date.parse(task.assigned_at ?? task.created_at);
  const own = (data?.escalations ?? []).filter(({ opened_at }) => Date.parse(opened_at) >= since);
  return own.map((call) => <HelpNote key={call.id} call={call} />);
}

function HelpNote({
  call: { reason, text, opened_at, note, resolved_by, resolved_at },
}: {
  call: Escalation;
}) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const { reasons } = useTexts(TEXTS);
  const nameOf = useMemberNames();
  const now = useNow(10);
  return (
    <Note tone="blue" title={texts.askedForHelp(reasons[reason], f.ago(opened_at, now))}>
      {text !== null && <p className="written">{text}</p>}
      {resolved_at === null ? (
        <p className="soft">{texts.noAnswer}</p>
      ) : (
        <p>
          <b>{texts.answered(nameOf(resolved_by))}:</b> <span className="written">{note}</span>
        </p>
      )}
    </Note>
  );
}

function Facts({ lifecycle, task }: { lifecycle: string; task: PlannerTask }) {
  const texts = useTexts(WORK_TEXTS);
  const nameOf = useMemberNames();
  const { deliverable_id, required_trade, contributors } = task;
  const { data: deliverable } = useLiveQuery({
    lifecycle,
    key: ["deliverable", deliverable_id],
    ask: (signal) => planner.getDeliverable({ id: deliverable_id ?? "" }, { signal }),
    enabled: deliverable_id !== null,
  });
  const facts = [
    [texts.deliverable, deliverable_id && deliverable ? `${deliverable.type} ${deliverable.serial}` : ""],
    [texts.trade, required_trade ?? ""],
    [texts.help, contributors.map(nameOf).join(", ")],
  ].filter(([, value]) => value !== "");
  if (facts.length === 0) return null;
  return (
    <dl className="definition">
      {facts.map(([name, value]) => (
        <div key={name} className="pair">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
