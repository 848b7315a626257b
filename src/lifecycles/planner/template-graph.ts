import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";

type Node = { ref: string; depends_on: readonly string[] };

/** Refuses tasks with equal refs, unknown dependencies or cycles, and names each mistake by its path. */
export function graphRefusal(tasks: readonly Node[]): Refusal | null {
  const refs = new Set(tasks.map(({ ref }) => ref));
  const errors = tasks.flatMap(({ ref, depends_on }, index) => [
    ...(tasks.findIndex((other) => other.ref === ref) < index
      ? [{ path: `tasks.${index}.ref`, message: `"${ref}" is the ref of an earlier task` }]
      : []),
    ...depends_on
      .filter((name) => !refs.has(name))
      .map((name) => ({ path: `tasks.${index}.depends_on`, message: `"${name}" is no ref of the template` })),
  ]);
  if (errors.length === 0)
    for (const ref of refsInCycles(tasks)) {
      const index = tasks.findIndex((task) => task.ref === ref);
      errors.push({ path: `tasks.${index}.depends_on`, message: `"${ref}" waits for itself` });
    }
  return errors.length === 0
    ? null
    : refuse("VALIDATION_ERROR", errors.map(({ path, message }) => `${path}: ${message}.`).join(" "), {
        errors,
      });
}

/** Returns the refs that cannot be ordered: those in a cycle, or behind one. */
export function refsInCycles(tasks: readonly Node[]): string[] {
  const left = new Map(tasks.map(({ ref, depends_on }) => [ref, depends_on]));
  for (;;) {
    const ready = [...left].filter(([, names]) => names.every((name) => !left.has(name)));
    if (ready.length === 0) return [...left.keys()];
    for (const [ref] of ready) left.delete(ref);
  }
}
