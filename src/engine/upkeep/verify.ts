import { isDeepStrictEqual } from "node:util";
import { findTasks } from "../sql/find-tasks.ts";
import { checkSeals, pickTasksToVerify } from "../sql/verify-journal.ts";
import type { SealedEvent, SealedTaskRow } from "../sql/verify-journal.ts";
import { journalled } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import { fold } from "../write/stored-answers.ts";

const CHUNK = 500;

type Difference = { task_id: string; row_version: number | null; what: string };
export type Verified = { tasks: number; events: number; differences: Difference[] };

/** Rebuilds every task of an org from its journal and compares; checks the seals. `readIn` runs a transaction. */
export async function verifyOrg(
  readIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
  onProgress: (progress: { tasks: number; events: number }) => void = () => undefined,
): Promise<Verified> {
  const verified: Verified = { tasks: 0, events: 0, differences: [] };
  let after: string | null = null;
  for (;;) {
    const from = after;
    // Tasks are read before journals, by one statement each: a move in between only adds journal rows beyond the task's
    // version, which are ignored below.
    const chunk = await readIn(async (tx) => {
      const tasks = await pickTasksToVerify(tx, org_id, from, CHUNK);
      const ids = tasks.map((task) => task.id);
      const journals = groupByTask(await checkSeals(tx, org_id, ids));
      const withoutJournal = ids.filter((id) => !journals.has(id));
      const existing = withoutJournal.length === 0 ? [] : await findTasks(tx, org_id, withoutJournal);
      // A task without a journal that no longer exists was pruned between the two statements.
      const pruned = new Set(withoutJournal.filter((id) => !existing.some((row) => row.id === id)));
      return { tasks, journals, pruned };
    });
    const { tasks, journals, pruned } = chunk;
    if (tasks.length === 0) return verified;
    for (const task of tasks) {
      if (pruned.has(task.id)) continue;
      const journal = (journals.get(task.id) ?? []).filter((event) => event.row_version <= task.row_version);
      verified.tasks++;
      verified.events += journal.length;
      const difference = firstDifference(task, journal);
      if (difference) verified.differences.push(difference);
    }
    after = tasks.at(-1)?.id ?? null;
    onProgress(verified);
  }
}

function firstDifference(task: SealedTaskRow, journal: readonly SealedEvent[]): Difference | null {
  const difference = (row_version: number | null, what: string) => ({ task_id: task.id, row_version, what });
  for (const [index, event] of journal.entries()) {
    if (event.row_version !== index + 1) return difference(index + 1, "the journal row is missing");
    if (!event.sealed)
      return difference(event.row_version, "the journal row was changed after it was written");
  }
  const rebuilt = fold(journal);
  const last = journal.at(-1);
  if (!last || journal.length !== task.row_version)
    return difference(task.row_version, "the journal row is missing");
  if (last.seal !== task.journal_seal)
    return difference(task.row_version, "the task does not have the seal of its journal");
  for (const [column, value] of Object.entries(journalled(task))) {
    if (!isDeepStrictEqual(rebuilt[column] ?? null, value ?? null)) {
      return difference(
        null,
        `"${column}" is ${JSON.stringify(value)}, but ${JSON.stringify(rebuilt[column])} in the journal`,
      );
    }
  }
  return null;
}

function groupByTask(events: readonly SealedEvent[]): Map<string, SealedEvent[]> {
  const journals = new Map<string, SealedEvent[]>();
  for (const event of events) {
    const journal = journals.get(event.task_id);
    if (journal) journal.push(event);
    else journals.set(event.task_id, [event]);
  }
  return journals;
}
