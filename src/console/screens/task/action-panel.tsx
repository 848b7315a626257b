import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Explanation, Lifecycle, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton } from "../../design/states.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { ActionDialog } from "../../tasks/action-dialog.tsx";
import { useDeed } from "../../tasks/use-deed.ts";
import { moveWithoutAsking } from "../../tasks/whole-move.ts";
import { useI18n } from "../../texts/i18n.tsx";

/** What the reader may do with a task, and what he may not with every reason. */
export function ActionPanel({ task }: { task: Task }) {
  const { t } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const explained = useQuery(queries.actions(task.id));
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.mayDo}</h2>
      </header>
      <div className="body stack">
        <Loaded compact of={[explained]} placeholder={<Skeleton lines={2} height={28} />}>
          {(actions) => {
            const allowed = actions.filter((one) => one.allowed);
            const refused = actions.filter((one) => !one.allowed);
            return (
              <>
                {allowed.length === 0 && <p className="soft">{t.task.nothingToDo}</p>}
                {lifecycle && allowed.length > 0 && (
                  <Allowed task={task} lifecycle={lifecycle} actions={allowed} />
                )}
                {refused.length > 0 && <Refused lifecycle={task.lifecycle} actions={refused} />}
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
  const { busy, perform, attempt } = useDeed(task.lifecycle, task);
  const begin = (action: string) => {
    const move = moveWithoutAsking(lifecycle, task, action);
    if (move) void attempt(move);
    else choose(action);
  };
  const targetOf = (action: string) =>
    lifecycle.rules.find((rule) => rule.action === action && rule.from.includes(task.status))?.to ?? null;
  // What moves the task on comes first; a comment and the like can wait.
  const sorted = actions.toSorted(
    (a, b) => Number(targetOf(a.action) === null) - Number(targetOf(b.action) === null),
  );
  const order = lifecycle.statuses.map(({ name }) => name);
  // The next step on the way is the one that most come for; giving up and calling for help are never that.
  const next = sorted.find(({ action }) => {
    const to = targetOf(action);
    const isTrouble = to === null || givesUp(lifecycle, to) || /warn|bad/.test(toneOf(lifecycle, to));
    return !isTrouble && order.indexOf(to) > order.indexOf(task.status);
  });
  return (
    <div className="row wrap">
      {sorted.map((one) => {
        const { action } = one;
        const to = targetOf(action);
        const look = one === next ? "main" : to !== null && givesUp(lifecycle, to) ? "danger" : null;
        return (
          <Button
            key={action}
            {...(look ? { look } : {})}
            disabled={busy}
            title={to === null ? undefined : `→ ${label(to)}`}
            onClick={() => {
              begin(action);
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
          perform={perform}
          onClose={() => {
            choose(null);
          }}
        />
      )}
    </div>
  );
}

/** Whether a status is an end that nobody wished for. */
function givesUp({ statuses }: Lifecycle, status: string): boolean {
  return statuses.some(({ name, final, success }) => name === status && final && !success);
}

function Refused({ lifecycle, actions }: { lifecycle: string; actions: readonly Explanation[] }) {
  const { t, n } = useI18n();
  const label = useStatusLabel(lifecycle);
  return (
    <details className="refused">
      <summary>
        <Icon name="right" />
        {t.task.mayNotDo}
        <span className="badge">{actions.length}</span>
      </summary>
      <ul>
        {actions.map(({ action, refusals }) => (
          <li key={action}>
            <b>{n.action(action)}</b>
            <ul>
              {refusals.map((refusal) => (
                <li key={refusal.code + refusal.detail}>
                  {n.refusal(refusal, label)} <code className="faint">{refusal.code}</code>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </details>
  );
}
