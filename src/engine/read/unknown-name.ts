import { didYouMean, lifecycleHint, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { readRegisteredStatuses } from "../sql/read-lifecycles.ts";
import type { Tx } from "../transaction.ts";

/** The names in a filter of tasks or events. */
export type NamesInFilter = { lifecycle?: string | undefined; status?: readonly string[] | undefined };

/**
 * Refuses a filter by a lifecycle or status that does not exist: an empty list would hide the mistake. Reads the database
 * only if this node does not declare a name.
 */
export async function unknownNameRefusal(
  registry: LifecycleRegistry,
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  filter: NamesInFilter,
): Promise<Refusal | null> {
  const declared = new Map(
    [...registry.lifecycles].map(([name, { statuses }]) => [name, new Set(Object.keys(statuses))]),
  );
  if (refusalAmong(declared, filter) === null) return null;
  const known = new Map([...declared].map(([name, statuses]) => [name, new Set(statuses)]));
  for (const { lifecycle, status } of await transaction(readRegisteredStatuses))
    known.set(lifecycle, (known.get(lifecycle) ?? new Set()).add(status));
  // The suggestions are names that are declared now.
  return refusalAmong(known, filter, declared);
}

type Statuses = ReadonlyMap<string, ReadonlySet<string>>;

function refusalAmong(
  known: Statuses,
  { lifecycle, status = [] }: NamesInFilter,
  suggested = known,
): Refusal | null {
  if (lifecycle !== undefined && !known.has(lifecycle))
    return unknownName("lifecycle", `There is no lifecycle "${lifecycle}"`, lifecycle, [...suggested.keys()]);
  const statusesIn = (names: Statuses) => [
    ...new Set([...names].flatMap(([name, held]) => ((lifecycle ?? name) === name ? [...held] : []))),
  ];
  const possible = new Set(statusesIn(known));
  const wrong = status.find((name) => !possible.has(name));
  if (wrong === undefined) return null;
  const sentence =
    lifecycle === undefined
      ? `No lifecycle has a status "${wrong}"`
      : `The lifecycle "${lifecycle}" has no status "${wrong}"`;
  return unknownName("status", sentence, wrong, statusesIn(suggested));
}

function unknownName(path: string, sentence: string, name: string, known: readonly string[]): Refusal {
  const list = `must be one of ${known.join(", ")}`;
  const hint = path === "lifecycle" ? lifecycleHint(name, known) : didYouMean(name, known);
  return refuse("VALIDATION_ERROR", `${sentence}${hint || `: it ${list}.`}`, {
    errors: [{ path, message: list }],
  });
}
