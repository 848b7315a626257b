import { refuse } from "./decision.ts";
import type { Absorbed, Decision, Moved, Refusal, SideEffect, TimerChange, Touched } from "./decision.ts";
import type { Command, Guard, Lifecycle, CompiledRule, Situation, View } from "./lifecycle.ts";
import { nextTimer } from "./timers.ts";
import type { JsonObject, Patch } from "./task.ts";

/** Decides what a command does in a situation. Pure: the same arguments always give the same decision. */
export function decide(lifecycle: Lifecycle, situation: Situation, command: Command): Decision {
  const stale = staleVersion(situation, command);
  if (stale) return stale;
  const view = viewOf(situation, command);
  const rules = lifecycle.rules_by_action.get(command.action)?.get(situation.task.status);
  if (!rules) return notFromHere(lifecycle, view);
  const choice = chooseRule(rules, view);
  if (choice.kind === "refused") return choice;
  const outcome = outcomeOf(choice, view);
  return invalidData(lifecycle, outcome, command.action) ?? outcome;
}

/** Refuses an outcome whose effects would store data that the lifecycle's schema does not allow. */
export function invalidData(
  { data_check }: Lifecycle,
  outcome: Moved | Touched | Absorbed,
  action: string,
): Refusal | null {
  if (outcome.kind === "absorbed" || outcome.patch.data === undefined) return null;
  return data_check.patch(outcome.patch.data, action);
}

/** Combines situation and command into the view that guards, effects and `who` tests receive. */
export function viewOf(situation: Situation, command: Command): View {
  return {
    task: situation.task,
    actor: situation.actor,
    facts: situation.facts,
    settings: situation.settings,
    now: situation.now,
    action: command.action,
    input: command.input,
    comment: command.comment,
    lease_token: command.lease_token,
  };
}

/** Returns the first rule that fits, or else the refusal of the rule that passed the most checks (the last one on a tie). */
function chooseRule(rules: readonly CompiledRule[], view: View): CompiledRule | Refusal {
  let closest: CompiledRule | null = null;
  let refusal: Refusal | null = null;
  let furthest = -1;
  for (const rule of rules) {
    const { guards } = rule;
    let depth = 0;
    let no: Refusal | null = null;
    if (rule.isFor(view)) {
      while (no === null && depth < guards.length) {
        const answer = (guards[depth++] as Guard)(view);
        if (answer !== true) no = answer;
      }
      if (no === null) return rule;
    }
    if (depth >= furthest) {
      closest = rule;
      refusal = no;
      furthest = depth;
    }
  }
  // The text is built last, because building it costs more than the check and a later rule might have fitted.
  return refusal ?? wrongActor(closest as CompiledRule, view);
}

/** Returns null if the rule is for this actor. */
export function whoRefusal(rule: CompiledRule, view: View): Refusal | null {
  return rule.isFor(view) ? null : wrongActor(rule, view);
}

function wrongActor({ who }: CompiledRule, view: View): Refusal {
  const own = who.length === 1 ? who[0]?.refusal : undefined;
  if (own) return own(view);
  const labels = who.map(({ label }) => label).join(" or ");
  return refuse("FORBIDDEN", `"${view.action}" from ${view.task.status} is for: ${labels}.`, { who: labels });
}

/** Returns the refusal of an action that has no rule from the task's current status. */
export function notFromHere(lifecycle: Lifecycle, view: View): Refusal {
  const { task, action, lease_token } = view;
  const final = lifecycle.statuses[task.status]?.final ?? false;
  if (!final && lifecycle.lease_only_actions.has(action) && lease_token !== (task.lease?.token ?? null)) {
    return refuse("LEASE_LOST", `This lease is over: the task is ${task.status}. Stop working on it.`, {
      status: task.status,
    });
  }
  const own = Object.hasOwn(lifecycle.wrong_status_refusals, action)
    ? lifecycle.wrong_status_refusals[action]?.(view)
    : null;
  if (own) return own;
  const starts = lifecycle.source_statuses.get(action) ?? [];
  return refuse(
    "INVALID_TRANSITION",
    `"${action}" starts from ${starts.join(", ")}; the task is ${task.status}.`,
    {
      status: task.status,
      starts_from: starts,
    },
  );
}

/** Returns the outcome of a rule whose guards have passed. */
export function outcomeOf(rule: CompiledRule, view: View): Moved | Touched | Absorbed {
  if (rule.outcome === "absorbed") return ABSORBED;
  const patch = patchOf(rule, view);
  const timer = rule.timer === null ? timerAfter(rule, view, patch) : rule.timer(view);
  if (rule.outcome === "touched") return { kind: "touched", patch, timer, lease: rule.lease };
  return {
    kind: "moved",
    to: rule.to,
    patch,
    timer,
    lease: rule.lease,
    effects: sideEffectsOf(rule, view),
    event: eventOf(rule, view),
  };
}

/** Returns the rule's shared event object if there is no comment, since all its fields are then the same for every use. */
function eventOf({ event, comment: commentOf, payload }: CompiledRule, view: View): Moved["event"] {
  const comment = commentOf === null ? view.comment : commentOf(view);
  if (payload !== null) return { ...event, comment, payload: payload(view) };
  return comment === null
    ? event
    : { type: event.type, action: event.action, from: event.from, to: event.to, comment };
}

const ABSORBED: Absorbed = Object.freeze({ kind: "absorbed" });
const NO_EFFECTS: readonly SideEffect[] = Object.freeze([]);
const NO_CHANGE: Patch = Object.freeze({});

type ChangeEffect = CompiledRule["changes"][number];

/** Merges the changes of all effects; later effects win. A single change is not copied: a copy costs more than the decision. */
function patchOf({ changes }: CompiledRule, view: View): Patch {
  if (changes.length === 0) return NO_CHANGE;
  if (changes.length === 1) return (changes[0] as ChangeEffect)(view);
  const patch: Patch = {};
  for (const changeOf of changes) {
    const change = changeOf(view) as Patch;
    const data = patch.data === undefined || change.data === undefined ? undefined : patch.data;
    assign(patch, change);
    if (data !== undefined) patch.data = assign(assign({}, data), change.data as JsonObject);
  }
  return patch;
}

/** Copies fields in a loop: Object.assign and spreading are several times slower on objects of many shapes. */
function assign<T extends object>(into: T, from: object): T {
  for (const key in from) (into as JsonObject)[key] = (from as JsonObject)[key];
  return into;
}

function sideEffectsOf({ side_effects }: CompiledRule, view: View): readonly SideEffect[] {
  if (side_effects.length === 0) return NO_EFFECTS;
  if (side_effects.length === 1) return (side_effects[0] as CompiledRule["side_effects"][number])(view);
  return side_effects.flatMap((effect) => effect(view));
}

function timerAfter(rule: CompiledRule, { task, settings, now }: View, patch: Patch): TimerChange {
  if (!rule.resetsTimer) return "keep";
  if (rule.timers.length === 0) return null;
  // Getters, so that only the fields a timer needs are read: a claim may be decided before its task is known.
  const clocks = {
    entered_at: rule.to === rule.from ? task.entered_at : now,
    get created_at() {
      return task.created_at;
    },
    updated_at: now,
    get needs_attention() {
      return patch.needs_attention ?? task.needs_attention;
    },
    get open_blockers() {
      return patch.open_blockers ?? task.open_blockers;
    },
    lease: rule.lease === "open" ? { heartbeat_at: now } : rule.lease === "close" ? null : task.lease,
  };
  return nextTimer(rule.timers, clocks, settings);
}

function staleVersion({ task }: Situation, { expected_row_version: expected }: Command): Refusal | null {
  if (expected === null || expected === task.row_version) return null;
  return refuse("VERSION_CONFLICT", `You saw version ${expected}; the task is at ${task.row_version}.`, {
    expected_row_version: expected,
    row_version: task.row_version,
  });
}
