import { useState } from "react";
import {
  AskDialog,
  Button,
  Icon,
  toast,
  useI18n,
  useLiveQuery,
  useMe,
  useMemberNames,
  useNow,
  useOutbox,
  useStatusLabel,
  useTexts,
} from "../../../console/index.ts";
import type { OutboxEntry } from "../../../console/index.ts";
import { planner } from "./planner-calls.ts";
import type { PlannerTask } from "./planner-calls.ts";
import { REPORT_DEFECT } from "./use-work-queue.ts";
import { useActionName } from "./waiting-actions.tsx";
import { WORK_TEXTS } from "./work-texts.ts";

/** Actions on one task that the server refused, and those that were not sent because of that: why, and what was typed. */
export function RefusedActions({
  lifecycle,
  refused,
}: {
  lifecycle: string;
  refused: readonly OutboxEntry[];
}) {
  const [first] = refused;
  return first ? <Refused key={first.key} lifecycle={lifecycle} first={first} refused={refused} /> : null;
}

function Refused({
  lifecycle,
  first,
  refused,
}: {
  lifecycle: string;
  first: OutboxEntry;
  refused: readonly OutboxEntry[];
}) {
  const texts = useTexts(WORK_TEXTS);
  const nameOf = useActionName();
  const { data: task } = useLiveQuery({
    lifecycle,
    key: ["refused", first.task_id],
    ask: (signal) => planner.getPlannerTask({ id: first.task_id }, { signal }),
  });
  return (
    <div className="note refused-actions" data-tone="bad" role="alert" data-refused={first.action}>
      <Icon name="alert" />
      <div className="stack">
        <b>{texts.notDone(`${nameOf(first.action)} · ${first.title}`)}</b>
        <Reason lifecycle={lifecycle} entry={first} task={task} />
        <Changes lifecycle={lifecycle} entry={first} />
        <Typed entry={first} />
        {refused.slice(1).map((entry) => (
          <div key={entry.key} className="stack tight">
            <b>{texts.notSent(nameOf(entry.action))}</b>
            <Typed entry={entry} />
          </div>
        ))}
        <Answers first={first} refused={refused} task={task} />
      </div>
    </div>
  );
}

/** The refusal in plain words, from the state that the task has now. */
function Reason({
  lifecycle,
  entry: { action, refusal },
  task,
}: {
  lifecycle: string;
  entry: OutboxEntry;
  task: PlannerTask | undefined;
}) {
  const { n } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const me = useMe();
  const memberName = useMemberNames();
  const label = useStatusLabel(lifecycle);
  if (!refusal) return null;
  if (!CHANGED.includes(refusal.code)) return <p>{n.refusal(refusal, label)}</p>;
  if (!task) return <p>{texts.changed}</p>;
  const { assigned_to, status } = task;
  const isTaking = action === "self_assign";
  if (isTaking && assigned_to !== null && assigned_to !== me.id)
    return <p>{texts.taken(memberName(assigned_to))}</p>;
  return (
    <p>
      {!isTaking && assigned_to !== me.id ? texts.notYours : texts.changed} {texts.nowIn(label(status))}
    </p>
  );
}

/** Refusals because the task is not as the person saw it. */
const CHANGED = ["VERSION_CONFLICT", "INVALID_TRANSITION", "NOT_OWNER"];

/** Changes of the task by others since the person saw it. */
function Changes({
  lifecycle,
  entry: { task_id, row_version, refusal },
}: {
  lifecycle: string;
  entry: OutboxEntry;
}) {
  const { n, f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const memberName = useMemberNames();
  const now = useNow(10);
  const { data } = useLiveQuery({
    lifecycle,
    key: ["changes", task_id, row_version],
    ask: (signal) =>
      planner.listPlannerTransitions({ id: task_id, after: row_version, limit: 5 }, { signal }),
    enabled: refusal !== null && CHANGED.includes(refusal.code),
  });
  if (!data || data.transitions.length === 0) return null;
  return (
    <div className="stack tight">
      <span className="soft">{texts.changes}</span>
      <ul className="stack tight">
        {data.transitions.map(({ id, action, actor_id, created_at, payload }) => (
          <li key={id}>
            {actor_id === null ? "Pawl" : memberName(actor_id)} · {n.action(action)} ·{" "}
            {f.ago(created_at, now)}
            {typeof payload.reason === "string" && <p className="written soft">{payload.reason}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The text that the person typed; it stays until the person discards it. */
function Typed({ entry: { text } }: { entry: OutboxEntry }) {
  const texts = useTexts(WORK_TEXTS);
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (text === null) return null;
  const copy = async () => {
    await clipboard?.writeText(text);
    toast(texts.copied);
  };
  return (
    <div className="stack tight">
      <span className="soft">{texts.yourText}:</span>
      <blockquote className="written">{text}</blockquote>
      {clipboard && (
        <Button look="quiet" icon="copy" onClick={() => void copy()}>
          {texts.copy}
        </Button>
      )}
    </div>
  );
}

function Answers({
  first,
  refused,
  task,
}: {
  first: OutboxEntry;
  refused: readonly OutboxEntry[];
  task: PlannerTask | undefined;
}) {
  const texts = useTexts(WORK_TEXTS);
  const me = useMe();
  const { discard, sendAgain } = useOutbox();
  const [asking, setAsking] = useState(false);
  const isOwn = first.action === "self_assign" ? task?.status === "available" : task?.assigned_to === me.id;
  const discardAll = () => {
    discard(refused.map(({ key }) => key));
  };
  return (
    <div className="row wrap work-answers">
      {task && isOwn && first.refusal?.code === "VERSION_CONFLICT" && (
        <Button
          look="main"
          icon="renew"
          onClick={() => {
            sendAgain(refused, (index) => versionAfter(refused.slice(0, index), task.row_version));
          }}
        >
          {texts.sendAgain}
        </Button>
      )}
      <Button
        onClick={() => {
          if (refused.some(({ text }) => text !== null)) setAsking(true);
          else discardAll();
        }}
      >
        {texts.discard}
      </Button>
      {asking && (
        <AskDialog
          form={`discard/${first.key}`}
          title={texts.discardTitle}
          lead={texts.discardLead}
          questions={[]}
          submit={texts.discard}
          danger
          perform={() => {
            discardAll();
            return Promise.resolve();
          }}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </div>
  );
}

/** The version of a task after these actions: each adds one, except for reporting a defect. */
function versionAfter(entries: readonly OutboxEntry[], row_version: number): number {
  return row_version + entries.filter(({ action }) => action !== REPORT_DEFECT).length;
}
