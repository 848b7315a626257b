import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Explanation, Lifecycle, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton } from "../../design/states.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { ActionDialog } from "../../tasks/action-dialog.tsx";
import { useRequestedActions } from "../../tasks/requested-action.ts";
import { useTaskAction } from "../../tasks/use-task-action.ts";
import { actionOf, moveWithoutInput } from "../../tasks/build-move.ts";
import { fieldsOf } from "../../forms/schema.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { Refused } from "./refused-actions.tsx";

/** Actions that the member may run, and the others with all reasons why not. */
export function ActionPanel({ task }: { task: Task }) {
  const { t } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const explained = useQuery(queries.actions(task.id));
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.availableActions}</h2>
      </header>
      <div className="body stack">
        <Loaded compact of={[explained]} placeholder={<Skeleton lines={2} height={28} />}>
          {(actions) => {
            const allowed = actions.filter((one) => one.allowed);
            const refused = actions.filter((one) => !one.allowed);
            return (
              <>
                {allowed.length === 0 && <p className="soft">{t.task.noActions}</p>}
                {lifecycle && allowed.length > 0 && (
                  <Allowed task={task} lifecycle={lifecycle} actions={allowed} />
                )}
                {lifecycle && <Refused task={task} lifecycle={lifecycle} actions={refused} />}
              </>
            );
          }}
        </Loaded>
      </div>
    </section>
  );
}

function Allowed({
  task,
  lifecycle,
  actions,
}: {
  task: Task;
  lifecycle: Lifecycle;
  actions: readonly Explanation[];
}) {
  const { n } = useI18n();
  const label = useStatusLabel(task.lifecycle);
  const [chosen, choose] = useState<string | null>(null);
  const { busy, perform, performOrToast } = useTaskAction(task.lifecycle, task);
  const start = (action: string) => {
    const move = moveWithoutInput(lifecycle, task, action);
    if (move) void performOrToast(move);
    else choose(action);
  };
  useRequestedActions(task.id, start);
  const targetOf = (action: string) =>
    lifecycle.rules.find((rule) => rule.action === action && rule.from.includes(task.status))?.to ?? null;
  // Actions that change the status come first, a comment and the like last.
  const sorted = actions.toSorted(
    (a, b) => Number(targetOf(a.action) === null) - Number(targetOf(b.action) === null),
  );
  const order = lifecycle.statuses.map(({ name }) => name);
  // The main button is the next step forward; canceling and escalating never are.
  const next = sorted.find(({ action }) => {
    const to = targetOf(action);
    const isProblem = to === null || isFailure(lifecycle, to) || /warn|bad/.test(toneOf(lifecycle, to));
    return !isProblem && order.indexOf(to) > order.indexOf(task.status);
  });
  return (
    <div className="row wrap">
      {sorted.map((one) => {
        const { action } = one;
        const to = targetOf(action);
        const look = one === next ? "main" : to !== null && isFailure(lifecycle, to) ? "danger" : null;
        return (
          <Button
            key={action}
            {...(look ? { look } : {})}
            disabled={busy}
            title={to === null ? undefined : `→ ${label(to)}`}
            onClick={() => {
              start(action);
            }}
          >
            {n.action(action)}
          </Button>
        );
      })}
      {chosen !== null && (
        <ActionDialog
          lifecycle={lifecycle}
          actions={[chosen]}
          task={task}
          lead={task.title}
          // The fields of `edit` are those of the task.
          initial={
            chosen === "edit"
              ? { ...task.data, title: task.title, ...priorityOf(lifecycle, task) }
              : undefined
          }
          perform={perform}
          onClose={() => {
            choose(null);
          }}
        />
      )}
    </div>
  );
}

/** The current priority for the form, unless the lifecycle names its priorities: then an empty choice leaves it as it is. */
function priorityOf(lifecycle: Lifecycle, { priority }: Task): { priority?: number } {
  const field = fieldsOf(actionOf(lifecycle, "edit")?.input).find(({ name }) => name === "priority");
  return field?.kind === "number" ? { priority } : {};
}

/** True for a final status without success. */
function isFailure({ statuses }: Lifecycle, status: string): boolean {
  return statuses.some(({ name, final, success }) => name === status && final && !success);
}
