import { apply } from "../apply.ts";
import { decideCreation, draftOf } from "../decide-creation.ts";
import { outcomeOf, viewOf } from "../decide.ts";
import type { Moved, Touched } from "../decision.ts";
import type { Guard, Lifecycle, ReadyRule, View } from "../lifecycle.ts";
import { EXACT_GUARDS } from "../standard.ts";
import { SYSTEM } from "../task.ts";
import type { Actor, JsonObject, Task } from "../task.ts";
import { samplesOf } from "./samples.ts";
import { watchReads } from "./watch-reads.ts";

/** Counting further than this tells nothing new. */
const MOST_ATTEMPTS = 5;
const MOST_OPEN = 2;
const NOW = 1_000_000;

/** The creator, one who acts, another one, and Pawl itself: enough to tell "none", "self" and "other" apart. */
const ACTORS: readonly Actor[] = [member("self"), member("other"), member("creator"), SYSTEM];

export type Move = { action: string; by: string; state: Task; rule: number | null };

/** What rules do to abstract tasks: runs the real whos, guards and effects, and lets every question beyond the model go both ways. */
export class Model {
  readonly lifecycle: Lifecycle;
  /** Facts that were read by an action, whether it lists them or not. */
  readonly factsRead = new Map<string, Set<string>>();
  /** Effects and creations that threw on a sample, by message. */
  readonly failures = new Set<string>();
  private readonly settings: JsonObject;
  private readonly facts: JsonObject[];
  private readonly data: JsonObject[];
  private readonly inputs: Map<string, JsonObject[]>;

  constructor(lifecycle: Lifecycle) {
    this.lifecycle = lifecycle;
    this.settings = lifecycle.settings.parse({});
    this.facts = samplesOf(lifecycle.facts);
    this.data = samplesOf(lifecycle.data);
    this.inputs = new Map(
      Object.entries(lifecycle.actions).map(([action, spec]) => [action, samplesOf(spec.input)]),
    );
  }

  /** Every task that can come into being. */
  births(): Move[] {
    return samplesOf(this.lifecycle.creation.input).flatMap((input) =>
      [0, 1].flatMap((open_blockers) => this.birth(input, open_blockers)),
    );
  }

  private birth(input: JsonObject, open_blockers: number): Move[] {
    const view = {
      input,
      actor: member("creator"),
      settings: this.settings,
      facts: this.facts[0] ?? {},
      now: NOW,
    };
    const place = { id: "task", org_id: "org", project_id: "project", open_blockers };
    try {
      const born = decideCreation(this.lifecycle, view, draftOf(this.lifecycle, view), place);
      return born.kind === "created"
        ? [{ action: "create", by: "creator", state: born.task, rule: null }]
        : [];
    } catch (error) {
      this.failures.add(`the creation threw on a sample: ${String(error)}`);
      return [];
    }
  }

  /** Everything that can happen to a task next. */
  *moves(state: Task): Generator<Move> {
    if (state.open_blockers > 0) {
      const fewer = { ...state, open_blockers: state.open_blockers - 1 };
      yield { action: "(a blocker is done)", by: "", state: fewer, rule: null };
    }
    for (const [action, byStatus] of this.lifecycle.table) {
      const rules = byStatus.get(state.status);
      if (rules) for (const actor of ACTORS) yield* this.acts(state, action, rules, actor);
    }
  }

  private *acts(state: Task, action: string, rules: readonly ReadyRule[], actor: Actor): Generator<Move> {
    const variants = this.variants(state, action, actor);
    const [first] = variants;
    if (first === undefined) return;
    for (const rule of rulesThatMayFit(rules, (ask) => this.answer(ask, first))) {
      for (const view of variants) {
        const next = this.apply(rule, view);
        if (next) yield { action, by: actor.id ?? "system", state: next, rule: rule.index };
      }
    }
  }

  /** One situation with everything given, and others that differ in one thing each. */
  private variants(state: Task, action: string, actor: Actor): View[] {
    const inputs = this.inputs.get(action) ?? [{}];
    const base = { input: inputs[0] ?? {}, facts: this.facts[0] ?? {}, data: this.data[0] ?? {} };
    const lease_token = state.lease !== null && state.lease.holder === actor.id ? state.lease.token : "stale";
    return [
      base,
      ...inputs.slice(1).map((input) => ({ ...base, input })),
      ...this.facts.slice(1).map((facts) => ({ ...base, facts })),
      ...this.data.slice(1).map((data) => ({ ...base, data })),
    ].map(({ input, facts, data }) =>
      viewOf(
        { task: { ...state, data }, actor, facts, settings: this.settings, now: NOW },
        { action, input, comment: "a comment", expected_row_version: null, lease_token },
      ),
    );
  }

  private answer(ask: Question, view: View): Answer {
    const watch = watchReads(view);
    try {
      const yes = ask(watch.view) === true;
      this.noteFacts(view.action, watch.reads.facts);
      if (watch.reads.beyondModel && !EXACT_GUARDS.has(ask as Guard)) return "either";
      return yes ? "yes" : "no";
    } catch {
      return "either";
    }
  }

  private apply(rule: ReadyRule, view: View): Task | null {
    const watch = watchReads(view);
    try {
      const outcome = outcomeOf(rule, watch.view);
      this.noteFacts(view.action, watch.reads.facts);
      return outcome.kind === "absorbed" ? null : after(view, outcome);
    } catch (error) {
      this.failures.add(`an effect of "${view.action}" threw on a sample: ${String(error)}`);
      return null;
    }
  }

  private noteFacts(action: string, facts: Set<string>): void {
    const known = this.factsRead.get(action) ?? new Set();
    for (const fact of facts) known.add(fact);
    this.factsRead.set(action, known);
  }
}

/** Two situations that look the same to every rule are one. */
export function keyOf(task: Task): string {
  const {
    status,
    assigned_to,
    attempt,
    open_blockers,
    open_holds,
    needs_attention,
    exclusive_key,
    due_action,
  } = task;
  const rest = [task.private, task.lease?.holder ?? null, exclusive_key, due_action];
  return JSON.stringify([status, assigned_to, attempt, open_blockers, open_holds, needs_attention, ...rest]);
}

type Question = (view: View) => unknown;
type Answer = "yes" | "no" | "either";

/** The rules that win under some outcome of the open questions; a question asked twice gets one answer. */
function rulesThatMayFit(rules: readonly ReadyRule[], answer: (ask: Question) => Answer): Set<ReadyRule> {
  const answers = new Map<Question, Answer>();
  for (const rule of rules) {
    for (const ask of [...questionsOf(rule)]) if (!answers.has(ask)) answers.set(ask, answer(ask));
  }
  const open = [...answers].filter(([, given]) => given === "either").map(([ask]) => ask);
  const winners = new Set<ReadyRule>();
  for (let outcome = 0; outcome < 2 ** open.length; outcome++) {
    const holds = (ask: Question) =>
      answers.get(ask) === "yes" || (open.includes(ask) && ((outcome >> open.indexOf(ask)) & 1) === 1);
    const winner = rules.find((rule) => questionsOf(rule).every(holds));
    if (winner) winners.add(winner);
  }
  return winners;

  function questionsOf(rule: ReadyRule): Question[] {
    return [rule.isFor, ...rule.guards];
  }
}

/** The task as the engine would leave it, with counters that stop counting. */
function after({ task, actor }: View, outcome: Moved | Touched): Task {
  const lease = { token: "token", holder: actor.id ?? "system", until: NOW, heartbeat_at: NOW };
  const next = apply(task, outcome, NOW, lease);
  next.attempt = Math.min(next.attempt, MOST_ATTEMPTS);
  next.open_blockers = Math.min(next.open_blockers, MOST_OPEN);
  next.open_holds = Math.min(next.open_holds, MOST_OPEN);
  return next;
}

function member(id: string): Actor {
  return { ...SYSTEM, id, name: id, kind: "human", roles: ["member"] };
}
