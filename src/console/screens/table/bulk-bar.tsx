import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { placeTask } from "../../data/live.ts";
import { useMe } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { useProblemText, useToastOnError } from "../../design/use-toast-on-error.ts";
import { ActionDialog } from "../../tasks/action-dialog.tsx";
import type { MoveRequest } from "../../tasks/use-move.ts";
import { actionsFor } from "../../tasks/role-permissions.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { moveAll } from "./move-all.ts";
import type { MoveResult } from "./move-all.ts";
import { tableTexts } from "./table-texts.ts";
import { MAX_SELECTED } from "./use-selection.ts";

/** Actions for all selected tasks. */
export function BulkBar({
  lifecycle,
  tasks,
  total,
  onSelectMatching,
  onClear,
  onResults,
}: {
  lifecycle: Lifecycle;
  tasks: readonly Task[];
  /** The number of tasks of the list, if all loaded ones are selected and there are more. */
  total: number | null;
  onSelectMatching: () => Promise<void>;
  onClear: () => void;
  onResults: (results: MoveResult[]) => void;
}) {
  const { t, f, n } = useI18n();
  const own = useTexts(tableTexts);
  const [loading, run] = useToastOnError();
  const { roles } = useMe();
  const textOf = useProblemText();
  const queryClient = useQueryClient();
  /** The dialog is for the tasks that were selected when it was opened, even if some leave the list meanwhile. */
  const [asked, setAsked] = useState<{ action: string; tasks: readonly Task[] } | null>(null);
  const statuses = new Set(tasks.map(({ status }) => status));
  const actions = actionsFor(lifecycle, roles).filter(({ name }) =>
    lifecycle.rules.some((rule) => rule.action === name && rule.from.some((status) => statuses.has(status))),
  );
  const perform = async (selected: readonly Task[], move: MoveRequest) => {
    const results = await moveAll(lifecycle, selected, move, { refusal: n.refusal, problem: textOf });
    // Report first: moved tasks may leave the list, and this bar with them.
    onResults(results);
    for (const result of results) if ("moved" in result) placeTask(queryClient, result.task.id, result.moved);
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
          setAsked({ action: event.target.value, tasks });
        }}
      >
        <option value="">{t.table.act}</option>
        {actions.map(({ name }) => (
          <option key={name} value={name}>
            {n.action(name)}
          </option>
        ))}
      </select>
      {total !== null && (
        <Button small disabled={loading} onClick={() => void run(onSelectMatching)}>
          {loading
            ? own.selecting
            : total > MAX_SELECTED
              ? own.selectFirst(f.number(MAX_SELECTED))
              : own.selectMatching(total, f.number(total))}
        </Button>
      )}
      <Button small look="quiet" icon="close" onClick={onClear}>
        {t.common.clear}
      </Button>
      {asked && (
        <ActionDialog
          lifecycle={lifecycle}
          actions={[asked.action]}
          title={t.table.actOn(n.action(asked.action), asked.tasks.length)}
          perform={(move) => perform(asked.tasks, move)}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </div>
  );
}
