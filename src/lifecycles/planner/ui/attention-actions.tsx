import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import {
  ActionButton,
  AskDialog,
  Button,
  queries,
  toast,
  useMemberNames,
  useRefetch,
  useTexts,
  useToastOnError,
} from "../../../console/index.ts";
import { ChangeDue } from "./change-due.tsx";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { planner } from "./planner-calls.ts";
import type { AttentionItem, PlannerTask } from "./planner-calls.ts";
import { ResolveCall } from "./resolve-call.tsx";
import { TEXTS } from "./texts.ts";

/** The buttons of an item: first the action that settles it, then others that its task allows. */
export function AttentionActions({ lifecycle, item }: { lifecycle: string; item: AttentionItem }) {
  const texts = useTexts(LEAD_TEXTS);
  const { task, kind } = item;
  const isHeldByOwner = task.status === "assigned" || task.status === "in_progress";
  const canReturn = isHeldByOwner && task.holds.length === 0;
  return (
    <div className="row wrap">
      <Settle lifecycle={lifecycle} item={item} />
      {(kind === "late" || kind === "will_be_late") && <ChangeDue lifecycle={lifecycle} task={task} />}
      {canReturn && kind !== "review" && (
        <>
          <Reassign lifecycle={lifecycle} task={task} />
          <ActionButton lifecycle={lifecycle} task={task} action="recall_to_pool" label={texts.recall} />
        </>
      )}
      {task.status === "available" && (
        <ActionButton lifecycle={lifecycle} task={task} action="assign" label={texts.assign} />
      )}
      {kind === "blocked" && (
        <ActionButton lifecycle={lifecycle} task={task} action="delete" label={texts.remove} look="danger" />
      )}
      {["held", "escalation", "late"].includes(kind) &&
        !["blocked", "done", "canceled"].includes(task.status) && (
          <ActionButton
            lifecycle={lifecycle}
            task={task}
            action="cancel"
            label={texts.cancel}
            look="danger"
          />
        )}
    </div>
  );
}

function Settle({ lifecycle, item }: { lifecycle: string; item: AttentionItem }) {
  const texts = useTexts(LEAD_TEXTS);
  const { approve, reject } = useTexts(TEXTS);
  const { kind, task, escalation_id, hold_id, blocker } = item;
  if (kind === "escalation" && escalation_id !== null)
    return <ResolveCall lifecycle={lifecycle} task={task} escalationId={escalation_id} />;
  if (kind === "held" && hold_id !== null)
    return (
      <DirectButton
        lifecycle={lifecycle}
        label={texts.releaseHold}
        done={texts.holdReleased}
        perform={() => planner.releaseHold({ id: task.id, hold_id })}
      />
    );
  if (kind === "blocked" && blocker !== null)
    return (
      <DirectButton
        lifecycle={lifecycle}
        label={texts.removeDependency}
        done={texts.dependencyRemoved}
        perform={() => planner.removeDependency({ id: task.id, blocker_id: blocker.id })}
      />
    );
  if (kind === "review")
    return (
      <>
        <ActionButton lifecycle={lifecycle} task={task} action="review_approve" label={approve} look="main" />
        <ActionButton lifecycle={lifecycle} task={task} action="review_reject" label={reject} />
      </>
    );
  return null;
}

/** A button that needs no input; a refusal is shown as a toast, and the page is loaded again. */
function DirectButton({
  lifecycle,
  label,
  done,
  perform,
}: {
  lifecycle: string;
  label: string;
  done: string;
  perform: () => Promise<unknown>;
}) {
  const refetch = useRefetch(lifecycle);
  const [busy, attempt] = useToastOnError();
  const run = async () => {
    await attempt(async () => {
      await perform();
      toast(done);
    });
    await refetch();
  };
  return (
    <Button small look="main" disabled={busy} onClick={() => void run()}>
      {label}
    </Button>
  );
}

/** Recalls a task and assigns it to another executor: the two moves of which a reassignment consists. */
function Reassign({ lifecycle, task }: { lifecycle: string; task: PlannerTask }) {
  const texts = useTexts(LEAD_TEXTS);
  const nameOf = useMemberNames();
  const refetch = useRefetch(lifecycle);
  const { data: members = [] } = useQuery(queries.members());
  const [asking, setAsking] = useState(false);
  const executors = members.filter(
    ({ id, active, roles, project_ids }) =>
      active &&
      roles.includes("executor") &&
      id !== task.assigned_to &&
      (project_ids?.includes(task.project_id) ?? true),
  );
  const reassign = async ({ to, reason }: Record<"to" | "reason", string>) => {
    const now = await planner.getPlannerTask({ id: task.id });
    // After a failed assignment the task is in the pool already.
    const { row_version } =
      now.status === "available"
        ? now
        : (
            await planner.movePlannerTask({
              id: task.id,
              action: "recall_to_pool",
              payload: { reason },
              expected_row_version: task.row_version,
            })
          ).task;
    await planner.movePlannerTask({
      id: task.id,
      action: "assign",
      payload: { assign_to: to },
      expected_row_version: row_version,
    });
    toast(texts.reassigned(nameOf(to)));
    await refetch();
  };
  return (
    <>
      <Button
        small
        disabled={executors.length === 0}
        onClick={() => {
          setAsking(true);
        }}
      >
        {texts.reassign}
      </Button>
      {asking && (
        <AskDialog
          form={`reassign/${task.id}`}
          title={texts.reassign.replace("…", "")}
          lead={task.title}
          questions={[
            {
              name: "to",
              label: texts.reassignTo,
              kind: "choice",
              required: true,
              options: executors.map(({ id }) => ({ value: id, label: nameOf(id) })),
            },
            { name: "reason", label: texts.reassignReason, kind: "text", required: true },
          ]}
          submit={texts.reassign.replace("…", "")}
          perform={reassign}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
