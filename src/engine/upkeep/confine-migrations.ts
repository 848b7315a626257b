import { PawlError } from "../../core/index.ts";
import { readOutsideChanges, readOutsideObjects, readSchemaObjects } from "../sql/read-schema-objects.ts";
import type { SchemaObject } from "../sql/read-schema-objects.ts";
import { query } from "../transaction.ts";
import type { DriverTransaction } from "../../postgres/index.ts";

/** Returns the prefix of the names of a plugin's tables, indexes, functions, constraints and triggers: `bot_actions_`. */
export function tablePrefix(owner: string): string {
  return `${owner.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_")}_`;
}

/** Runs a plugin's migration and throws if it touched anything in the database but objects with the plugin's prefix. */
export async function confine(
  tx: DriverTransaction,
  { owner, name, schema }: { owner: string; name: string; schema: string },
  run: () => Promise<unknown>,
): Promise<void> {
  const prefix = tablePrefix(owner);
  const owners = await query<{ owner: string }>(tx, "select distinct m.owner from pawl.migration m", []);
  // The prefix `shop_` also begins the names of a plugin `shop-cart`.
  const longer = owners
    .map((other) => tablePrefix(other.owner))
    .filter((other) => other.length > prefix.length);
  const isOwn = ({ name: named }: SchemaObject) =>
    named.startsWith(prefix) && !longer.some((other) => named.startsWith(other));
  const before = await readSchemaObjects(tx);
  const outsideBefore = await readOutsideObjects(tx);
  const isFirst = !owners.some((one) => one.owner === owner);
  const taken = isFirst ? before.find(({ name: named }) => named.startsWith(prefix)) : undefined;
  if (taken)
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": the prefix "${prefix}" of its tables is taken by Pawl's ${taken.kind} ${taken.name}; rename the lifecycle.`,
    );
  await run();
  const after = await readSchemaObjects(tx);
  const changed = difference(before, after).find((object) => !isOwn(object));
  const outside = changed ?? (await readOutsideChanges(tx))[0] ?? (await findDropped(tx, outsideBefore));
  if (outside)
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": migration ${name} changes ${outside.kind} ${outside.name}; it may only change objects in the schema ${schema} whose names begin with "${prefix}".`,
    );
}

/** Returns an object outside of the schema that is gone. */
async function findDropped(
  tx: DriverTransaction,
  before: readonly SchemaObject[],
): Promise<SchemaObject | undefined> {
  const left = new Set((await readOutsideObjects(tx)).map(({ definition }) => definition));
  return before.find(({ definition }) => !left.has(definition));
}

/** Returns the objects that were added, dropped or changed. */
function difference(before: readonly SchemaObject[], after: readonly SchemaObject[]): SchemaObject[] {
  const keyOf = ({ kind, name, definition }: SchemaObject) => JSON.stringify([kind, name, definition]);
  const [had, has] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))];
  return [
    ...after.filter((object) => !had.has(keyOf(object))),
    ...before.filter((object) => !has.has(keyOf(object))),
  ];
}
