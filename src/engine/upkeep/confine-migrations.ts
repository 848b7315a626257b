import { PawlError } from "../../core/index.ts";
import { readOutsideChanges, readSchemaObjects } from "../sql/read-schema-objects.ts";
import type { SchemaObject } from "../sql/read-schema-objects.ts";
import type { Tx } from "../transaction.ts";

/** Returns the prefix of the names of a plugin's tables, indexes, functions, constraints and triggers: `bot_actions_`. */
function tablePrefix(owner: string): string {
  return `${owner.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_")}_`;
}

/** Runs a plugin's migration and throws if it touched anything in the database but objects with the plugin's prefix. */
export async function confine(
  tx: Tx,
  { owner, name }: { owner: string; name: string },
  run: () => Promise<unknown>,
): Promise<void> {
  const prefix = tablePrefix(owner);
  const isOwn = (object: SchemaObject) => object.name.startsWith(prefix);
  const before = await readSchemaObjects(tx);
  const isFirst = !(await tx`select from pawl.migration m where m.owner = ${owner}`).length;
  const taken = isFirst ? before.find(isOwn) : undefined;
  if (taken)
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": the prefix "${prefix}" of its tables is taken by Pawl's ${taken.kind} ${taken.name}; rename the lifecycle.`,
    );
  await run();
  const after = await readSchemaObjects(tx);
  const changed = difference(before, after).find((object) => !isOwn(object));
  const outside = changed ?? (await readOutsideChanges(tx))[0];
  if (outside)
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": migration ${name} changes ${outside.kind} ${outside.name}; it may only change objects in the schema pawl whose names begin with "${prefix}".`,
    );
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
