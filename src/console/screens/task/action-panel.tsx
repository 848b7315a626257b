import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { PawlProblem } from "../../data/client.ts";
import type { Explanation, Lifecycle, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Bones, Trouble } from "../../design/states.tsx";
import { labelOf, useStatusLabel } from "../../design/status.tsx";
import { toast } from "../../design/toasts.tsx";
import { ActionDialog, needsNothing } from "../../tasks/action-dialog.tsx";
import { useAct } from "../../tasks/act.ts";
import type { Move } from "../../tasks/act.ts";
import { useWords } from "../../texts/words.tsx";

/** What the reader may do with a task, and what he may not with every reason. */
export function ActionPanel({ task }: { task: Task }) {
  const { t } = useWords();
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const { data: explained, error, refetch } = useQuery(queries.actions(task.id));
  const allowed = explained?.filter((one) => one.allowed) ?? [];
  const refused = explained?.filter((one) => !one.allowed) ?? [];
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.mayDo}</h2>
      </header>
      <div className="body stack">
        {error && !explained && <Trouble compact error={error} onRetry={() => void refetch()} />}
        {!error && !explained && <Bones lines={2} height={28} />}
        {explained && allowed.length === 0 && <p className="soft">{t.task.nothingToDo}</p>}
        {lifecycle && allowed.length > 0 && <Allowed task={task} lifecycle={lifecycle} actions={allowed} />}
        {refused.length > 0 && <Refused actions={refused} />}
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
  const { t } = useWords();
  const label = useStatusLabel(task.lifecycle);
  const [chosen, choose] = useState<string | null>(null);
  const act = useAct(task);
  const perform = async (move: Move) => {
    const moved = await act.mutateAsync(move);
    const changed = moved.task.status !== task.status;
    toast(changed ? t.board.moved(task.title, label(moved.task.status)) : t.board.done(labelOf(move.action)));
  };
  const begin = (action: string) => {
    if (!needsNothing(lifecycle, action)) choose(action);
    else
      perform({ action }).catch((error: unknown) => {
        toast(error instanceof PawlProblem ? error.detail : String(error), "bad");
      });
  };
  const targetOf = (action: string) =>
    lifecycle.rules.find((rule) => rule.action === action && rule.from.includes(task.status))?.to ?? null;
  // What moves the task on comes first; a comment and the like can wait.
  const sorted = actions.toSorted(
    (a, b) => Number(targetOf(a.action) === null) - Number(targetOf(b.action) === null),
  );
  return (
    <div className="row wrap">
      {sorted.map(({ action }, index) => {
        const to = targetOf(action);
        return (
          <Button
            key={action}
            {...(index === 0 && to !== null ? { look: "main" as const } : {})}
            disabled={act.isPending}
            title={to === null ? undefined : `→ ${label(to)}`}
            onClick={() => {
              begin(action);
            }}
          >
            {labelOf(action)}
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

function Refused({ actions }: { actions: readonly Explanation[] }) {
  const { t } = useWords();
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
            <b>{labelOf(action)}</b>
            <ul>
              {refusals.map(({ code, detail }) => (
                <li key={code + detail}>
                  {detail} <code className="faint">{code}</code>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </details>
  );
}
