import type { Effect, EffectParts, Guard, Lifecycle, ReadyRule, Rule, Timer } from "./lifecycle.ts";
import { guardOfPool, isSameCondition } from "./condition.ts";
import { dueGuard } from "./timers.ts";

/** What is derived from the rules. */
type RuleIndex = Pick<Lifecycle, "table" | "starts" | "leased_actions">;
export type Named = Omit<Lifecycle, keyof RuleIndex>;

/** Resolves every name once, so that a decision is two look-ups and a walk over a short list. */
export function indexRules(lifecycle: Named): RuleIndex {
  const table = new Map<string, Map<string, ReadyRule[]>>();
  const leased = new Set(Object.keys(lifecycle.actions));
  lifecycle.rules.forEach((rule, index) => {
    if (!whoOf(rule).every((name) => name === "lease_holder")) leased.delete(rule.action);
    for (const from of fromOf(rule)) {
      const byStatus = getOrMake(table, rule.action, () => new Map<string, ReadyRule[]>());
      getOrMake(byStatus, from, (): ReadyRule[] => []).push(readyRule(lifecycle, rule, index, from));
    }
  });
  const starts = new Map([...table].map(([action, byStatus]) => [action, [...byStatus.keys()]]));
  return { table, starts, leased_actions: leased };
}

export function fromOf(rule: Rule): readonly string[] {
  return typeof rule.from === "string" ? [rule.from] : rule.from;
}

export function whoOf(rule: Rule): readonly string[] {
  return typeof rule.who === "string" ? [rule.who] : rule.who;
}

/** The timer that performs an action in a status. */
export function timerFor(
  lifecycle: Pick<Lifecycle, "statuses">,
  status: string,
  action: string,
): Timer | undefined {
  return lifecycle.statuses[status]?.timers?.find((timer) => timer.action === action);
}

function readyRule(lifecycle: Named, rule: Rule, index: number, from: string): ReadyRule {
  const to = rule.to ?? from;
  const timers = lifecycle.statuses[to]?.timers ?? [];
  const who = whoOf(rule).map((name) => present(lifecycle.who[name]));
  const effects = (rule.effects ?? []).map((name) => partsOf(present(lifecycle.effects[name])));
  const leasedBefore = lifecycle.statuses[from]?.lease ?? false;
  const leasedAfter = lifecycle.statuses[to]?.lease ?? false;
  return {
    kind: "rule",
    rule,
    index,
    from,
    to,
    event: Object.freeze({
      type: lifecycle.actions[rule.action]?.event ?? rule.action,
      action: rule.action,
      from,
      to,
      comment: null,
    }),
    outcome: rule.outcome ?? "moved",
    who,
    isFor: who.length === 1 ? present(who[0]).test : (view) => who.some(({ test }) => test(view)),
    guards: [
      ...(rule.guards ?? []).map((name) => guardNamed(lifecycle, name, from, rule.action)),
      ...guardsOfPool(lifecycle, rule, from),
    ],
    changes: effects.flatMap((effect) => effect.change ?? []),
    also: effects.flatMap((effect) => effect.also ?? []),
    comment: effects.findLast((effect) => effect.comment)?.comment ?? null,
    timer: effects.findLast((effect) => effect.timer)?.timer ?? null,
    timers,
    lease: effects.some((effect) => effect.lease)
      ? "close"
      : leasedBefore === leasedAfter
        ? "keep"
        : leasedAfter
          ? "open"
          : "close",
    // A timer is set anew on entering a status, by what counts from the last change, and when it has just rung.
    retimes:
      to !== from ||
      timers.some((timer) => timer.since === "updated_at") ||
      timerFor(lifecycle, from, rule.action) !== undefined,
  };
}

function partsOf(effect: Effect): EffectParts {
  return typeof effect === "function" ? { change: effect } : effect;
}

/** Tasks that the pool does not offer are not taken past it either. */
function guardsOfPool({ pool, conditions }: Named, rule: Rule, from: string): Guard[] {
  if (pool?.action !== rule.action || pool.from !== from) return [];
  const own = (rule.guards ?? []).flatMap((name) => conditions.get(name) ?? []);
  return pool.where.filter((one) => !own.some((other) => isSameCondition(one, other))).map(guardOfPool);
}

function guardNamed(lifecycle: Named, name: string, status: string, action: string): Guard {
  if (name === "due") return dueGuard(present(timerFor(lifecycle, status, action)));
  return present(lifecycle.guards[name]);
}

/** `findMistakes` has seen that every name has something behind it. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a rule's name was not resolved");
  return value;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
