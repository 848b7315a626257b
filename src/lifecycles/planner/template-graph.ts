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

/** Returns the refs of cycles. Tasks that only wait for a cycle, or that only a cycle waits for, are none of them. */
export function refsInCycles(tasks: readonly Node[]): string[] {
  const edges = tasks.flatMap(({ ref, depends_on }) => depends_on.map((name): Edge => [name, ref]));
  const behind = unordered(new Set(tasks.map(({ ref }) => ref)), edges);
  const backwards = edges.map(([from, to]): Edge => [to, from]);
  return [...unordered(behind, backwards)];
}

type Edge = [from: string, to: string];

/** Orders refs along edges; returns those that are in a cycle or behind one. Edges of other refs do not count. */
function unordered(refs: ReadonlySet<string>, edges: readonly Edge[]): Set<string> {
  const left = new Set(refs);
  const next = new Map<string, string[]>();
  const waits = new Map<string, number>();
  for (const [from, to] of edges) {
    if (!left.has(from) || !left.has(to)) continue;
    const targets = next.get(from);
    if (targets) targets.push(to);
    else next.set(from, [to]);
    waits.set(to, (waits.get(to) ?? 0) + 1);
  }
  const ready = [...left].filter((ref) => !waits.has(ref));
  for (let ref = ready.pop(); ref !== undefined; ref = ready.pop()) {
    left.delete(ref);
    for (const to of next.get(ref) ?? []) {
      const open = (waits.get(to) ?? 0) - 1;
      waits.set(to, open);
      if (open === 0) ready.push(to);
    }
  }
  return left;
}
