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

type Result = { task: Task; status: string } | { task: Task; code: string; detail: string };

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
      all.push(...(await moveAll(tasks.slice(at, at + AT_ONCE), move)));
    setResults(all);
    void queryClient.invalidateQueries({ queryKey: keys.overviews });
    void queryClient.invalidateQueries({ queryKey: keys.listsOf(lifecycle.name) });
  };
  const moveAll = async (some: readonly Task[], move: Move): Promise<Result[]> => {
    const moves = some.map(({ id, row_version }) => {
      const token = leaseTokenOf(id);
      const version =
        lifecycle.actions.find(({ name }) => name === move.action)?.expected_row_version === "required";
      return {
        ...move,
        id,
        ...(token === null ? {} : { lease_token: token }),
        ...(version ? { expected_row_version: row_version } : {}),
      };
    });
    const answers = await client.moveTasks(moves);
    return answers.map((answer, index): Result => {
      const task = some[index] as Task;
      if (!("outcome" in answer)) return { task, code: String(answer.code), detail: String(answer.detail) };
      const moved = answer as { task: Task; lease_token: string | null };
      keepLeaseToken(task.id, moved.lease_token);
      placeTask(queryClient, task.id, moved.task);
      return { task, status: moved.task.status };
    });
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
  const done = results.filter((result) => "status" in result).length;
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
          <li key={result.task.id} data-tone={"status" in result ? "good" : "bad"}>
            <Icon name={"status" in result ? "check" : "alert"} />
            <span className="cut">{result.task.title}</span>
            <span className="small soft">
              {"status" in result ? t.table.resultDone(label(result.status)) : result.detail}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
