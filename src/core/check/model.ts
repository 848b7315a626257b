import { apply } from "../apply.ts";
import { decideCreation, draftOf } from "../decide-creation.ts";
import { invalidData, outcomeOf } from "../decide.ts";
import type { Refusal } from "../decision.ts";
import type { Guard, Lifecycle, CompiledRule, View } from "../lifecycle.ts";
import { EXACT_GUARDS } from "../condition.ts";
import { SYSTEM } from "../task.ts";
import type { Actor, DueTimer, Task } from "../task.ts";
import { timerAfterBlockers } from "../timers.ts";
import { abstractView, NOW, unknownsOf } from "./abstract-view.ts";
import type { Reads, Unknowns } from "./abstract-view.ts";
import { forEveryChoice } from "./choices.ts";
import type { Choose } from "./choices.ts";
import { MEMBER_IDS } from "./samples.ts";

/** Attempts are counted up to this maximum and then jump to VERY_MANY, so that limits above it are reached as well. */
const MAX_ATTEMPTS = 20;
const VERY_MANY = 1_000_000;
const MAX_OPEN = 2;

/** Maximum number of combinations of values that are tried for one effect in one situation. */
const MAX_VARIANTS = 64;
const MAX_CREATIONS = 1024;

/** Up to this number of open questions, every combination of answers is tried; beyond it, every rule that might win counts. */
const MAX_QUESTIONS = 10;

/** Enough members to distinguish the owners "none", "self", "other" and "creator"; and the system. */
const ACTORS: readonly Actor[] = [...MEMBER_IDS.map(member), SYSTEM];

export type Move = { action: string; by: string; state: Task; rule: number | null };

/**
 * Runs the real `who` tests, guards and effects on abstract tasks. A question that the model cannot answer is tried
 * with both answers.
 */
export class Model {
  readonly lifecycle: Lifecycle;
  /** The lifecycle without the check of its data. */
  private readonly unchecked: Lifecycle;
  /** Facts that were read by an action, whether it lists them or not. */
  readonly factsRead = new Map<string, Set<string>>();
  /** Effects and creations that threw on a sample, by message. */
  readonly failures = new Set<string>();
  /** Effects and drafts that produced invalid data from valid samples, by message. */
  readonly invalidData = new Set<string>();
  private readonly unknowns: Unknowns;

  constructor(lifecycle: Lifecycle) {
    this.lifecycle = lifecycle;
    // Samples, such as a text for a date, may not fit the schema of the data.
    this.unchecked = { ...lifecycle, data_check: { patch: () => null, draft: () => null } };
    this.unknowns = unknownsOf(lifecycle);
  }

  /** Returns every task that can be created. */
  creations(): Move[] {
    return [0, 1].flatMap((open_blockers) =>
      forEveryChoice((choose) => this.creation(open_blockers, choose), MAX_CREATIONS).flat(),
    );
  }

  private creation(open_blockers: number, choose: Choose): Move[] {
    const task = { id: "task", lease: null } as Task;
    const { view, reads } = abstractView(
      this.unknowns,
      { task, actor: member("creator"), action: "create" },
      choose,
    );
    const context = { id: "task", org_id: "org", project_id: "project", open_blockers };
    try {
      const draft = draftOf(this.lifecycle, view);
      const invalid = this.lifecycle.data_check.draft(draft);
      if (invalid) this.noteInvalid(invalid, reads);
      const created = decideCreation(this.unchecked, { ...view }, draft, context);
      if (created.kind === "refused") return [];
      return [{ action: "create", by: "creator", state: { ...created.task, data: {} }, rule: null }];
    } catch (error) {
      this.failures.add(`the creation threw on a sample: ${String(error)}`);
      return [];
    }
  }

  /** Yields every possible next step of a task. */
  *moves(state: Task): Generator<Move> {
    if (state.open_blockers > 0) {
      const fewer = { ...state, open_blockers: state.open_blockers - 1 };
      const timer = fewer.open_blockers === 0 ? this.startedTimer(fewer) : null;
      yield { action: "(a blocker is done)", by: "", state: { ...fewer, ...timer }, rule: null };
    }
    for (const [action, byStatus] of this.lifecycle.rules_by_action) {
      const rules = byStatus.get(state.status);
      if (rules) for (const actor of ACTORS) yield* this.acts(state, action, rules, actor);
    }
  }

  private startedTimer(task: Task): DueTimer | null {
    const { statuses, settings } = this.lifecycle;
    return timerAfterBlockers(statuses[task.status]?.timers ?? [], task, settings.parse({}), NOW);
  }

  private *acts(state: Task, action: string, rules: readonly CompiledRule[], actor: Actor): Generator<Move> {
    const situation = { task: state, actor, action };
    const winners = rulesThatMayFit(rules, (ask) => this.answer(ask, situation));
    for (const rule of winners) {
      const outcomes = forEveryChoice((choose) => this.outcome(rule, situation, choose), MAX_VARIANTS);
      for (const next of outcomes)
        if (next) yield { action, by: actor.id ?? "system", state: next, rule: rule.index };
    }
  }

  private answer(ask: Question, situation: { task: Task; actor: Actor; action: string }): Answer {
    const { view, reads } = abstractView(this.unknowns, situation, firstOption);
    try {
      const yes = ask(view) === true;
      this.noteFacts(situation.action, reads);
      if (reads.beyondModel && !EXACT_GUARDS.has(ask as Guard)) return "either";
      return yes ? "yes" : "no";
    } catch {
      return "either";
    }
  }

  /** Returns the task as the engine would write it, with limited counters; null if an effect threw. */
  private outcome(
    rule: CompiledRule,
    situation: { task: Task; actor: Actor; action: string },
    choose: Choose,
  ): Task | null {
    const { task, actor, action } = situation;
    const { view, reads } = abstractView(this.unknowns, situation, choose);
    try {
      const outcome = outcomeOf(rule, view);
      this.noteFacts(action, reads);
      if (outcome.kind === "absorbed") return task;
      const invalid = invalidData(this.lifecycle, outcome, action);
      if (invalid) this.noteInvalid(invalid, reads);
      const lease = { token: "token", holder: actor.id ?? "system", until: NOW, heartbeat_at: NOW };
      const next = apply(task, outcome, NOW, lease);
      next.data = task.data;
      if (next.attempt > MAX_ATTEMPTS) next.attempt = VERY_MANY;
      next.open_blockers = Math.min(next.open_blockers, MAX_OPEN);
      next.open_holds = Math.min(next.open_holds, MAX_OPEN);
      return next;
    } catch (error) {
      this.failures.add(`an effect of "${action}" threw on a sample: ${String(error)}`);
      return null;
    }
  }

  /** Ignores data made from a sample that its own schema refuses: no caller can send it. */
  private noteInvalid({ detail }: Refusal, { outsideSchema }: Reads): void {
    if (!outsideSchema) this.invalidData.add(detail.replace(`Lifecycle "${this.lifecycle.name}": `, ""));
  }

  private noteFacts(action: string, { facts }: Reads): void {
    const known = this.factsRead.get(action) ?? new Set();
    for (const fact of facts) known.add(fact);
    this.factsRead.set(action, known);
  }
}

/** Returns the same key for situations that no rule can distinguish. */
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

/** Returns the rules that win for some combination of answers; a question that several rules ask has one answer. */
function rulesThatMayFit(
  rules: readonly CompiledRule[],
  answer: (ask: Question) => Answer,
): Iterable<CompiledRule> {
  const answers = new Map<Question, Answer>();
  for (const rule of rules) {
    for (const ask of questionsOf(rule)) if (!answers.has(ask)) answers.set(ask, answer(ask));
  }
  const open = [...answers].filter(([, given]) => given === "either").map(([ask]) => ask);
  if (open.length > MAX_QUESTIONS) return rulesThatMight(rules, answers);
  const winners = new Set<CompiledRule>();
  for (let outcome = 0; outcome < 2 ** open.length; outcome++) {
    const holds = (ask: Question) =>
      answers.get(ask) === "yes" || (open.includes(ask) && ((outcome >> open.indexOf(ask)) & 1) === 1);
    const winner = rules.find((rule) => questionsOf(rule).every(holds));
    if (winner) winners.add(winner);
  }
  return winners;
}

/** For too many questions: yields every rule that is not certainly refused, up to the first that certainly fits. */
function* rulesThatMight(
  rules: readonly CompiledRule[],
  answers: ReadonlyMap<Question, Answer>,
): Generator<CompiledRule> {
  for (const rule of rules) {
    const given = questionsOf(rule).map((ask) => answers.get(ask));
    if (!given.includes("no")) yield rule;
    if (given.every((one) => one === "yes")) return;
  }
}

function questionsOf(rule: CompiledRule): Question[] {
  return [rule.isFor, ...rule.guards];
}

function firstOption<T>(_what: string, options: readonly T[]): T {
  return options[0] as T;
}

function member(id: string): Actor {
  return { ...SYSTEM, id, name: id, kind: "human", roles: ["member"] };
}
