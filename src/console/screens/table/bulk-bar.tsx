import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import type { Lifecycle, Task } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { placeTask } from "../../data/live.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Icon } from "../../design/icon.tsx";
import { labelOf, useStatusLabel } from "../../design/status.tsx";
import { ActionDialog } from "../../tasks/action-dialog.tsx";
import type { Move } from "../../tasks/act.ts";
import { keepLeaseToken, leaseTokenOf } from "../../tasks/lease-tokens.ts";
import { useWords } from "../../texts/words.tsx";

type Result = { task: Task; moved: Task } | { task: Task; detail: string };

/** How many go in one request: the server takes more, but then nobody sees that anything happens. */
const AT_ONCE = 100;

/** What can be done with all that is selected, and what became of each. */
export function BulkBar({
  lifecycle,
  tasks,
  onDone,
}: {
  lifecycle: Lifecycle;
  tasks: readonly Task[];
  onDone: () => void;
}) {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const [action, setAction] = useState<string | null>(null);
  const [results, setResults] = useState<Result[] | null>(null);
  const statuses = new Set(tasks.map(({ status }) => status));
  const actions = lifecycle.actions.filter(({ name }) =>
    lifecycle.rules.some((rule) => rule.action === name && rule.from.some((status) => statuses.has(status))),
  );
  const perform = async (move: Move) => {
    const all: Result[] = [];
    for (let at = 0; at < tasks.length; at += AT_ONCE)
      all.push(...(await moveAll(lifecycle, tasks.slice(at, at + AT_ONCE), move)));
    for (const result of all) if ("moved" in result) placeTask(queryClient, result.task.id, result.moved);
    setResults(all);
    void queryClient.invalidateQueries({ queryKey: keys.overviews });
    void queryClient.invalidateQueries({ queryKey: keys.listsOf(lifecycle.name) });
  };
  return (
    <div className="bulk" role="region" aria-label={t.table.selected(tasks.length)}>
      <b>{t.table.selected(tasks.length)}</b>
      <select
        className="input small"
        aria-label={t.table.chooseAction}
        value=""
        onChange={(event) => {
          setAction(event.target.value);
        }}
      >
        <option value="">{t.table.act}</option>
        {actions.map(({ name }) => (
          <option key={name} value={name}>
            {labelOf(name)}
          </option>
        ))}
      </select>
      <Button small look="quiet" icon="close" onClick={onDone}>
        {t.common.clear}
      </Button>
      {action !== null && action !== "" && (
        <ActionDialog
          lifecycle={lifecycle}
          actions={[action]}
          title={t.table.actOn(labelOf(action), tasks.length)}
          perform={perform}
          onClose={() => {
            setAction(null);
          }}
        />
      )}
      {results && (
        <Results
          lifecycle={lifecycle.name}
          results={results}
          onClose={() => {
            setResults(null);
            onDone();
          }}
        />
      )}
    </div>
  );
}

async function moveAll(lifecycle: Lifecycle, tasks: readonly Task[], move: Move): Promise<Result[]> {
  const spec = lifecycle.actions.find(({ name }) => name === move.action);
  const moves = tasks.map(({ id, row_version }) => {
    const token = leaseTokenOf(id);
    return {
      ...move,
      id,
      ...(token === null ? {} : { lease_token: token }),
      ...(spec?.expected_row_version === "required" ? { expected_row_version: row_version } : {}),
    };
  });
  const answers = await client.moveTasks(moves);
  return answers.map((answer, index): Result => {
    const task = tasks[index] as Task;
    if (!("outcome" in answer)) return { task, detail: answer.detail };
    const { task: moved, lease_token } = answer as { task: Task; lease_token: string | null };
    keepLeaseToken(task.id, lease_token);
    return { task, moved };
  });
}

function Results({
  lifecycle,
  results,
  onClose,
}: {
  lifecycle: string;
  results: readonly Result[];
  onClose: () => void;
}) {
  const { t } = useWords();
  const label = useStatusLabel(lifecycle);
  const done = results.filter((result) => "moved" in result).length;
  return (
    <Dialog
      wide
      title={t.table.results}
      lead={t.table.summary(done, results.length - done)}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose}>
          {t.common.close}
        </Button>
      }
    >
      <ul className="results">
        {results.map((result) => (
          <li key={result.task.id} data-tone={"moved" in result ? "good" : "bad"}>
            <Icon name={"moved" in result ? "check" : "alert"} />
            <span className="cut">{result.task.title}</span>
            <span className="small soft">
              {"moved" in result ? t.table.resultDone(label(result.moved.status)) : result.detail}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
