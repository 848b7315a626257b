import { refuse } from "./decision.ts";
import type { Decision, Moved, Refusal, SideEffect, Touched } from "./decision.ts";
import type { Change, Command, Lifecycle, ReadyRule, Situation, View } from "./lifecycle.ts";
import { nextTimer } from "./timers.ts";
import type { Patch } from "./task.ts";

/** What becomes of a command in a situation. Pure: the same situation always gives the same decision. */
export function decide(lifecycle: Lifecycle, situation: Situation, command: Command): Decision {
  const stale = staleVersion(situation, command);
  if (stale) return stale;
  const view = viewOf(situation, command);
  const rules = lifecycle.table.get(command.action)?.get(situation.task.status);
  if (!rules) return notFromHere(lifecycle, view);
  const choice = chooseRule(rules, view);
  return "kind" in choice ? choice : outcomeOf(choice, view);
}

/** Guards, effects and whos see the situation and the command as one thing. */
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

/** The first rule that fits; where none does, the refusal of the one that came furthest (of equals, the last). */
export function chooseRule(rules: readonly ReadyRule[], view: View): ReadyRule | Refusal {
  let refusal: Refusal | null = null;
  let furthest = -1;
  for (const rule of rules) {
    let depth = 0;
    let no = whoRefusal(rule, view);
    for (; no === null && depth < rule.guards.length; depth++) {
      const answer = (rule.guards[depth] as ReadyRule["guards"][number])(view);
      if (answer !== true) no = answer;
    }
    if (no === null) return rule;
    if (depth >= furthest) [refusal, furthest] = [no, depth];
  }
  return refusal as Refusal;
}

/** Null when the actor is one of those the rule is for. */
export function whoRefusal(rule: ReadyRule, view: View): Refusal | null {
  for (const who of rule.who) if (who.test(view)) return null;
  const own = rule.who.length === 1 ? rule.who[0]?.refusal : undefined;
  if (own) return own(view);
  const labels = rule.who.map((who) => who.label).join(" or ");
  return refuse("FORBIDDEN", `"${view.action}" from ${view.task.status} is for: ${labels}.`, { who: labels });
}

/** Why the action does not start from the task's present status. */
export function notFromHere(lifecycle: Lifecycle, view: View): Refusal {
  const { task, action, lease_token } = view;
  const final = lifecycle.statuses[task.status]?.final ?? false;
  if (!final && lifecycle.leased_actions.has(action) && lease_token !== (task.lease?.token ?? null)) {
    return refuse("LEASE_LOST", `This lease is over: the task is ${task.status}. Stop working on it.`, {
      status: task.status,
    });
  }
  const own = lifecycle.not_from_here[action]?.(view);
  if (own) return own;
  const starts = startsOf(lifecycle, action);
  return refuse("INVALID_TRANSITION", `"${action}" starts from ${starts.join(", ")}; the task is ${task.status}.`, {
    status: task.status,
    starts_from: starts,
  });
}

/** The statuses an action starts from, in the order of the rules. */
export function startsOf(lifecycle: Lifecycle, action: string): string[] {
  return [...(lifecycle.table.get(action)?.keys() ?? [])];
}

/** What a chosen rule does, its guards having passed. */
export function outcomeOf(rule: ReadyRule, view: View): Moved | Touched | { kind: "absorbed" } {
  if (rule.outcome === "absorbed") return { kind: "absorbed" };
  const patch: Patch = { updated_at: view.now };
  let comment = view.comment;
  let effects: SideEffect[] = NO_EFFECTS;
  for (const effect of rule.effects) {
    const change = effect(view);
    if (change.comment !== undefined) comment = change.comment;
    if (change.also !== undefined) effects = effects === NO_EFFECTS ? change.also : [...effects, ...change.also];
    applyChange(patch, change);
  }
  const moves = rule.to !== rule.from;
  if (moves) {
    patch.status = rule.to;
    patch.entered_at = view.now;
    if (rule.lease !== null) patch.lease ??= rule.lease;
  }
  if (rule.retimes && patch.due_at === undefined) setTimer(patch, rule, view);
  if (rule.outcome === "touched") return { kind: "touched", patch };
  return {
    kind: "moved",
    to: rule.to,
    patch,
    effects,
    event: { type: rule.event, action: view.action, from: rule.from, to: rule.to, comment },
  };
}

const NO_EFFECTS: SideEffect[] = [];

function applyChange(patch: Patch, change: Change): void {
  for (const key in change) {
    if (key === "also" || key === "comment") continue;
    if (key === "data") patch.data = patch.data ? { ...patch.data, ...change.data } : (change.data as Patch["data"] & {});
    else (patch as Record<string, unknown>)[key] = change[key as keyof Change];
  }
}

function setTimer(patch: Patch, rule: ReadyRule, { task, settings, now }: View): void {
  const next =
    rule.timers.length === 0
      ? null
      : nextTimer(
          rule.timers,
          {
            entered_at: patch.entered_at ?? task.entered_at,
            created_at: task.created_at,
            updated_at: now,
            needs_attention: patch.needs_attention ?? task.needs_attention,
            lease: patch.lease === "open" ? { heartbeat_at: now } : patch.lease === "close" ? null : task.lease,
          },
          settings,
        );
  patch.due_at = next === null ? null : next.due_at;
  patch.due_action = next === null ? null : next.due_action;
}

function staleVersion({ task }: Situation, { expected_row_version: expected }: Command): Refusal | null {
  if (expected === null || expected === task.row_version) return null;
  return refuse("VERSION_CONFLICT", `You saw version ${expected}; the task is at ${task.row_version}.`, {
    expected_row_version: expected,
    row_version: task.row_version,
  });
}
