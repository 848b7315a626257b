import { ruleLabel } from "../validate-lifecycle.ts";
import { fromOf } from "../index-rules.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Task } from "../task.ts";
import { keyOf, Model } from "./model.ts";
import type { Move } from "./model.ts";

/** One step of a counter-example. */
export type Step = { action: string; by: string; state: string };

export type Finding = {
  level: "error" | "warning";
  kind:
    | "invariant"
    | "unreachable"
    | "trap"
    | "dead_rule"
    | "undeclared_fact"
    | "failing_effect"
    | "invalid_data"
    | "pool"
    | "too_large";
  message: string;
  /** The name of the invariant that does not hold. */
  invariant?: string;
  /** The shortest path to the situation, starting with the creation. */
  path: Step[];
};

export type CheckReport = {
  lifecycle: string;
  version: number;
  /** The number of different situations reached, and of steps tried between them. */
  situations: number;
  steps: number;
  invariants: string[];
  findings: Finding[];
};

type Node = { task: Task; step: Step; parent: Node | null };

const MAX_SITUATIONS = 200_000;

/** Walks every situation that a task can get into, with default settings, and reports everything wrong with them. */
export function check(lifecycle: Lifecycle): CheckReport {
  const walking = checking(lifecycle);
  for (;;) {
    const { done, value } = walking.next();
    if (done) return value;
  }
}

/** Does the same in steps, so that a server can handle requests in between. */
export function* checking(lifecycle: Lifecycle): Generator<undefined, CheckReport, undefined> {
  const walk = yield* explore(new Model(lifecycle));
  return {
    lifecycle: lifecycle.name,
    version: lifecycle.version,
    situations: walk.nodes.size,
    steps: walk.steps,
    invariants: Object.keys(lifecycle.invariants),
    findings: [
      ...brokenInvariants(lifecycle, walk),
      // A walk that was cut short may simply not have reached these.
      ...(walk.complete
        ? [...unreachable(lifecycle, walk), ...traps(lifecycle, walk), ...deadRules(lifecycle, walk)]
        : []),
      ...poolFindings(lifecycle),
      ...modelFindings(lifecycle, walk),
    ],
  };
}

type Walk = {
  model: Model;
  /** In breadth-first order, so that the path to each node is a shortest one. */
  nodes: Map<string, Node>;
  /** The direct predecessors of each situation. */
  cameFrom: Map<string, Set<string>>;
  fired: Set<number>;
  steps: number;
  complete: boolean;
};

function* explore(model: Model): Generator<undefined, Walk, undefined> {
  const walk: Walk = {
    model,
    nodes: new Map(),
    cameFrom: new Map(),
    fired: new Set(),
    steps: 0,
    complete: true,
  };
  const queue: Node[] = [];
  const reach = (move: Move, parent: Node | null): string => {
    const key = keyOf(move.state);
    if (!walk.nodes.has(key)) {
      const step = { action: move.action, by: move.by, state: describe(move.state) };
      const node = { task: move.state, step, parent };
      walk.nodes.set(key, node);
      queue.push(node);
    }
    return key;
  };
  for (const creation of model.creations()) reach(creation, null);
  // The queue grows while it is walked.
  for (const node of queue) {
    if (walk.nodes.size > MAX_SITUATIONS) return { ...walk, complete: false };
    yield;
    const from = keyOf(node.task);
    for (const move of model.moves(node.task)) {
      walk.steps++;
      if (move.rule !== null) walk.fired.add(move.rule);
      const to = reach(move, node);
      const sources = walk.cameFrom.get(to);
      if (sources) sources.add(from);
      else walk.cameFrom.set(to, new Set([from]));
    }
  }
  return walk;
}

function* brokenInvariants(lifecycle: Lifecycle, walk: Walk): Generator<Finding> {
  for (const [name, holds] of Object.entries(lifecycle.invariants)) {
    for (const node of walk.nodes.values()) {
      const violation = violationOf(() => holds(node.task));
      if (violation === null) continue;
      yield {
        ...error("invariant", `"${name}" ${violation}: ${describe(node.task)}`, pathTo(node)),
        invariant: name,
      };
      break;
    }
  }
}

function violationOf(holds: () => boolean): string | null {
  try {
    return holds() ? null : "does not hold";
  } catch (thrown) {
    return `throws ${String(thrown)}`;
  }
}

function* unreachable(lifecycle: Lifecycle, walk: Walk): Generator<Finding> {
  const reached = new Set([...walk.nodes.values()].map((node) => node.task.status));
  for (const status of Object.keys(lifecycle.statuses)) {
    if (!reached.has(status)) yield error("unreachable", `no task can reach status "${status}"`);
  }
}

/** Finds situations from which no final status can be reached, if the lifecycle has final statuses. */
function* traps(lifecycle: Lifecycle, walk: Walk): Generator<Finding> {
  const isFinal = (task: Task) => lifecycle.statuses[task.status]?.final === true;
  const escapes = new Set([...walk.nodes].filter(([, node]) => isFinal(node.task)).map(([key]) => key));
  if (escapes.size === 0) return;
  for (const key of escapes) for (const source of walk.cameFrom.get(key) ?? []) escapes.add(source);
  const reported = new Set<string>();
  for (const [key, node] of walk.nodes) {
    if (escapes.has(key) || reported.has(node.task.status)) continue;
    reported.add(node.task.status);
    yield error("trap", `no final status can be reached from: ${describe(node.task)}`, pathTo(node));
  }
}

function* deadRules(lifecycle: Lifecycle, walk: Walk): Generator<Finding> {
  for (const [index, rule] of lifecycle.rules.entries()) {
    if (walk.fired.has(index)) continue;
    const before = lifecycle.rules.findIndex(
      (other, otherIndex) =>
        otherIndex < index &&
        other.action === rule.action &&
        fromOf(other).some((status) => fromOf(rule).includes(status)),
    );
    const earlier = lifecycle.rules[before];
    const why = earlier
      ? `never fires: ${ruleLabel(earlier, before)} comes first`
      : "never fires in any situation";
    yield { level: "warning", kind: "dead_rule", message: `${ruleLabel(rule, index)} ${why}`, path: [] };
  }
}

/** Warns of guards that may refuse tasks that the pool offers, because they are not conditions of the pool. */
function* poolFindings({ pool, rules_by_action, conditions }: Lifecycle): Generator<Finding> {
  if (!pool) return;
  const rules = rules_by_action.get(pool.action)?.get(pool.from) ?? [];
  // The pool's query always checks `available_at`.
  const covered = new Set([...conditions.keys(), "available_now", ...pool.checked_on_claim]);
  const uncovered = rules.map(({ rule }) => (rule.guards ?? []).filter((name) => !covered.has(name)));
  if (uncovered.some((names) => names.length === 0)) return;
  for (const name of new Set(uncovered.flat()))
    yield {
      level: "warning",
      kind: "pool",
      message: `the pool offers tasks that "${pool.action}" may refuse: guard "${name}" is not a condition; declare it as one ({ where, refusal }), or list it in "checked_on_claim"`,
      path: [],
    };
}

function* modelFindings(lifecycle: Lifecycle, { model, complete }: Walk): Generator<Finding> {
  for (const [action, facts] of model.factsRead) {
    const listed = lifecycle.actions[action]?.facts ?? [];
    for (const fact of facts) {
      if (listed.includes(fact)) continue;
      yield error(
        "undeclared_fact",
        `action "${action}" reads the fact "${fact}" without listing it in "facts", so it is never loaded`,
      );
    }
  }
  for (const message of model.invalidData) yield error("invalid_data", message);
  for (const failure of model.failures) {
    yield { level: "warning", kind: "failing_effect", message: failure, path: [] };
  }
  if (!complete) yield error("too_large", `more than ${MAX_SITUATIONS} situations: the walk was cut short`);
}

function error(kind: Finding["kind"], message: string, path: Step[] = []): Finding {
  return { level: "error", kind, message, path };
}

function pathTo(node: Node): Step[] {
  const path: Step[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent) path.unshift(at.step);
  return path;
}

function describe(task: Task): string {
  return [
    task.status,
    `owner ${task.assigned_to ?? "none"}`,
    task.attempt > 0 && `attempt ${task.attempt}`,
    task.open_blockers > 0 && `${task.open_blockers} open blocker(s)`,
    task.open_holds > 0 && `${task.open_holds} open hold(s)`,
    task.lease && `leased by ${task.lease.holder}`,
    task.needs_attention && "needs attention",
    task.private && "private",
  ]
    .filter(Boolean)
    .join(", ");
}
