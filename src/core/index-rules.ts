import type { Effect, EffectParts, Guard, Lifecycle, CompiledRule, Rule, Timer } from "./lifecycle.ts";
import { dataCheckOf } from "./data-check.ts";
import { guardOfPool, isSameCondition } from "./condition.ts";
import { dueGuard } from "./timers.ts";

/** The fields of a lifecycle that are derived from its rules. */
type RuleIndex = Pick<Lifecycle, "rules_by_action" | "source_statuses" | "lease_only_actions" | "data_check">;
export type UnindexedLifecycle = Omit<Lifecycle, keyof RuleIndex>;

/** Resolves every name once, so that a decision takes two look-ups and a short loop. */
export function indexRules(lifecycle: UnindexedLifecycle): RuleIndex {
  const rules_by_action = new Map<string, Map<string, CompiledRule[]>>();
  const leased = new Set(Object.keys(lifecycle.actions));
  lifecycle.rules.forEach((rule, index) => {
    if (!whoOf(rule).every((name) => name === "lease_holder")) leased.delete(rule.action);
    for (const from of fromOf(rule)) {
      const byStatus = getOrMake(rules_by_action, rule.action, () => new Map<string, CompiledRule[]>());
      getOrMake(byStatus, from, (): CompiledRule[] => []).push(compileRule(lifecycle, rule, index, from));
    }
  });
  const source_statuses = new Map(
    [...rules_by_action].map(([action, byStatus]) => [action, [...byStatus.keys()]]),
  );
  const data_check = dataCheckOf(lifecycle.name, lifecycle.data);
  return { rules_by_action, source_statuses, lease_only_actions: leased, data_check };
}

export function fromOf(rule: Rule): readonly string[] {
  return typeof rule.from === "string" ? [rule.from] : rule.from;
}

export function whoOf(rule: Rule): readonly string[] {
  return typeof rule.who === "string" ? [rule.who] : rule.who;
}

/** Finds the timer that performs an action in a status. */
export function timerFor(
  lifecycle: Pick<Lifecycle, "statuses">,
  status: string,
  action: string,
): Timer | undefined {
  return lifecycle.statuses[status]?.timers?.find((timer) => timer.action === action);
}

function compileRule(lifecycle: UnindexedLifecycle, rule: Rule, index: number, from: string): CompiledRule {
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
    side_effects: effects.flatMap((effect) => effect.side_effects ?? []),
    comment: effects.findLast((effect) => effect.comment)?.comment ?? null,
    payload: effects.findLast((effect) => effect.payload)?.payload ?? null,
    timer: effects.findLast((effect) => effect.timer)?.timer ?? null,
    timers,
    lease: effects.some((effect) => effect.lease)
      ? "close"
      : leasedBefore === leasedAfter
        ? "keep"
        : leasedAfter
          ? "open"
          : "close",
    // The timer is recomputed on entering a status, if one counts from the last change, and after it has fired.
    resetsTimer:
      to !== from ||
      timers.some((timer) => timer.since === "updated_at") ||
      timerFor(lifecycle, from, rule.action) !== undefined,
  };
}

function partsOf(effect: Effect): EffectParts {
  return typeof effect === "function" ? { change: effect } : effect;
}

/** Guards the pool's action with the pool's own conditions, so that it takes only tasks that the pool offers. */
function guardsOfPool({ pool, conditions }: UnindexedLifecycle, rule: Rule, from: string): Guard[] {
  if (pool?.action !== rule.action || pool.from !== from) return [];
  const own = (rule.guards ?? []).flatMap((name) => conditions.get(name) ?? []);
  return pool.where.filter((one) => !own.some((other) => isSameCondition(one, other))).map(guardOfPool);
}

function guardNamed(lifecycle: UnindexedLifecycle, name: string, status: string, action: string): Guard {
  if (name === "due") return dueGuard(present(timerFor(lifecycle, status, action)));
  return present(lifecycle.guards[name]);
}

/** Asserts that a name was resolved; `findMistakes` has checked it. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a rule's name was not resolved");
  return value;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
