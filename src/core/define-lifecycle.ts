import { z } from "zod";
import { guardOf, isConditionGuard, isSameCondition } from "./condition.ts";
import { PawlError } from "./problems.ts";
import type { Problem } from "./problems.ts";
import type { Refusal, SideEffect } from "./decision.ts";
import type { Task } from "./task.ts";
import type {
  ActionSpec,
  Condition,
  ConditionGuard,
  Creation,
  CreationView,
  Draft,
  Duration,
  Effect,
  RedirectedAction,
  Guard,
  Invariant,
  Lifecycle,
  Migrations,
  Pool,
  PoolDefinition,
  Roles,
  Rule,
  StatusSpec,
  Unblocks,
  View,
  Who,
} from "./lifecycle.ts";
import { findMistakes } from "./validate-lifecycle.ts";
import { fromOf, indexRules } from "./index-rules.ts";
import type { UnindexedLifecycle } from "./index-rules.ts";
import { FACT_OF_GUARD, STANDARD_EFFECTS, STANDARD_GUARDS, STANDARD_WHO } from "./standard.ts";
import type { StandardEffect, StandardFacts, StandardGuard, StandardWho } from "./standard.ts";

type Fields = z.ZodObject;
type NoFields = ReturnType<typeof noFields>;

/** Every field of every action's input, each optional, since guards and effects are shared by several actions. */
export type AnyInputOf<Actions> = UnionFields<
  {
    [A in keyof Actions]: Actions[A] extends { input: infer I extends Fields } ? z.output<I> : never;
  }[keyof Actions]
>;
type UnionFields<U> = {
  [K in U extends unknown ? keyof U : never]?: U extends Partial<Record<K, infer V>> ? V : never;
};

type ViewOf<
  Status extends string,
  Actions,
  Data extends Fields,
  Settings extends Fields,
  Facts extends Fields,
> = View<Status, z.output<Data>, z.output<Settings>, z.output<Facts> & StandardFacts, AnyInputOf<Actions>>;

/** A lifecycle as its author declares it. Types catch misspellings, `defineLifecycle` mistakes, and `check` the rest. */
export type LifecycleDefinition<
  Name extends string,
  Status extends string,
  Actions extends Record<string, ActionSpec>,
  Data extends Fields,
  Settings extends Fields,
  Facts extends Fields,
  Input extends Fields,
  WhoName extends string,
  GuardName extends string,
  EffectName extends string,
  V = ViewOf<Status, Actions, Data, Settings, Facts>,
> = {
  name: Name;
  version: number;
  summary: string;
  /** Fields of a task that only this lifecycle has. */
  data?: Data;
  /** Settings of a project, each with its default. */
  settings?: Settings;
  /** Values that guards read beyond the task; the engine loads them. */
  facts?: Facts;
  statuses: Record<Status, StatusSpec<NoInfer<keyof Actions & string>>>;
  actions: Actions;
  creation: Omit<
    Creation<NoInfer<Status>, NoInfer<GuardName> | StandardGuard>,
    "input" | "draft" | "side_effects"
  > & {
    input: Input;
    draft: (
      view: CreationView<z.output<Settings>, z.output<Facts> & StandardFacts, z.output<Input>>,
    ) => Draft<z.output<Data>>;
    side_effects?: (
      view: CreationView<z.output<Settings>, z.output<Facts> & StandardFacts, z.output<Input>> & {
        task: Task<NoInfer<Status>, z.output<Data>>;
      },
    ) => readonly SideEffect[];
  };
  rules: readonly Rule<
    NoInfer<Status>,
    NoInfer<keyof Actions & string>,
    NoInfer<WhoName> | StandardWho,
    NoInfer<GuardName> | StandardGuard,
    NoInfer<EffectName> | StandardEffect
  >[];
  permissions?: Record<string, Roles>;
  who?: Record<WhoName, Who<V>>;
  guards?: Record<GuardName, Guard<V> | ConditionGuard<V>>;
  effects?: Record<EffectName, Effect<V, z.output<Data>>>;
  invariants?: Record<string, Invariant<Status>>;
  /** Refusal codes that only this lifecycle has. */
  problems?: Record<string, Problem>;
  /** Time until a lease expires without a heartbeat. */
  lease?: { lasts: Duration };
  pool?: PoolDefinition<NoInfer<Status>, NoInfer<keyof Actions & string>, NoInfer<GuardName> | StandardGuard>;
  unblocks?: Unblocks<NoInfer<Status>, NoInfer<keyof Actions & string>>;
  /** For tasks of earlier versions whose status, or whose timer's action, no longer exists. */
  migrations?: Migrations<NoInfer<Status>, NoInfer<keyof Actions & string>>;
  /** Defaults for the required fields of every action. */
  action_defaults?: Pick<ActionSpec, "comment" | "expected_row_version" | "client_event_id">;
  /** Actions that callers try here although they belong to another part of Pawl. */
  redirected_actions?: readonly RedirectedAction[];
  /** An action's own refusal in statuses that it has no rule for; null falls back to INVALID_TRANSITION. */
  wrong_status_refusals?: { [A in keyof Actions]?: (view: V) => Refusal | null };
};

/** A lifecycle whose type keeps the declared names, for typed clients. */
export type DefinedLifecycle<
  Name extends string = string,
  Status extends string = string,
  Actions = Record<string, ActionSpec>,
  Data extends Fields = Fields,
  Input extends Fields = Fields,
  Facts extends Fields = Fields,
> = Lifecycle & {
  readonly name: Name;
  readonly types?: {
    status: Status;
    actions: Actions;
    data: z.output<Data>;
    creation: z.input<Input>;
    facts: z.output<Facts>;
  };
};

/** Validates a declared lifecycle and compiles it for use, or throws INVALID_LIFECYCLE with every mistake. */
export function defineLifecycle<
  const Name extends string,
  Status extends string,
  const Actions extends Record<string, ActionSpec>,
  Input extends Fields,
  Data extends Fields = NoFields,
  Settings extends Fields = NoFields,
  Facts extends Fields = NoFields,
  WhoName extends string = never,
  GuardName extends string = never,
  EffectName extends string = never,
>(
  definition: LifecycleDefinition<
    Name,
    Status,
    Actions,
    Data,
    Settings,
    Facts,
    Input,
    WhoName,
    GuardName,
    EffectName
  >,
): DefinedLifecycle<Name, Status, Actions, Data, Input, Facts> {
  const { action_defaults = {} } = definition;
  const declared: Record<string, Guard | ConditionGuard> = {
    ...STANDARD_GUARDS,
    // The types of the views are erased here and nowhere else.
    ...(definition.guards as Record<string, Guard | ConditionGuard> | undefined),
  };
  const conditions = conditionsIn(declared);
  const lifecycle = {
    name: definition.name,
    version: definition.version,
    summary: definition.summary,
    statuses: definition.statuses,
    actions: mapValues(definition.actions, (action, name) => ({
      ...action_defaults,
      ...action,
      facts: factsOf(
        action,
        definition.rules.filter((rule) => rule.action === name),
      ),
    })),
    rules: definition.rules,
    creation: definition.creation,
    permissions: definition.permissions ?? {},
    who: { ...STANDARD_WHO, ...definition.who },
    guards: mapValues(declared, guardOf),
    conditions,
    effects: { ...STANDARD_EFFECTS, ...definition.effects },
    invariants: definition.invariants ?? {},
    problems: definition.problems ?? {},
    data: definition.data ?? noFields(),
    settings: definition.settings ?? noFields(),
    facts: definition.facts ?? noFields(),
    lease: definition.lease ?? null,
    pool: definition.pool ? poolOf(definition.pool, definition.rules, conditions) : null,
    unblocks: definition.unblocks ?? null,
    migrations: { statuses: {}, actions: {}, ...definition.migrations },
    redirected_actions: definition.redirected_actions ?? [],
    wrong_status_refusals: definition.wrong_status_refusals ?? {},
    // The literal types of the names are erased here and nowhere else; from here on, names are plain strings.
  } as unknown as UnindexedLifecycle;

  const mistakes = findMistakes(lifecycle);
  if (mistakes.length > 0) {
    const detail = mistakes.map((mistake) => (mistake.endsWith("?") ? mistake : `${mistake}.`)).join(" ");
    throw new PawlError("INVALID_LIFECYCLE", `Lifecycle "${definition.name}": ${detail}`, { mistakes });
  }
  return Object.freeze({ ...lifecycle, ...indexRules(lifecycle) }) as DefinedLifecycle<
    Name,
    Status,
    Actions,
    Data,
    Input,
    Facts
  >;
}

/** Adds the conditions that guard every rule of the pool's action to the pool's own. */
function poolOf(
  { action, from, where = [], checked_on_claim = [], filter = null, shared_facts = false }: PoolDefinition,
  rules: readonly Rule[],
  conditions: ReadonlyMap<string, Condition>,
): Pool {
  const [first = [], ...others] = rules
    .filter((rule) => rule.action === action && fromOf(rule).includes(from))
    .map((rule) => (rule.guards ?? []).flatMap((name) => conditions.get(name) ?? []));
  const guarding = first.filter((one) =>
    others.every((other) => other.some((its) => isSameCondition(one, its))),
  );
  const own = where.filter((one) => !guarding.some((other) => isSameCondition(one, other)));
  return { action, from, where: [...guarding, ...own], checked_on_claim, filter, shared_facts };
}

function conditionsIn(guards: Readonly<Record<string, Guard | ConditionGuard>>): Map<string, Condition> {
  return new Map(
    Object.entries(guards).flatMap(([name, guard]) =>
      isConditionGuard(guard) ? [[name, guard.where] as const] : [],
    ),
  );
}

function noFields() {
  return z.object({});
}

function factsOf(action: ActionSpec, rules: readonly Rule[]): string[] {
  const standard = rules.flatMap((rule) => rule.guards ?? []).flatMap((guard) => FACT_OF_GUARD[guard] ?? []);
  return [...new Set([...(action.facts ?? []), ...standard])];
}

function mapValues<T, R>(
  record: Record<string, T>,
  transform: (value: T, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, transform(value, key)]));
}
