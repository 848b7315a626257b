import { isStorable } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import { wrongField } from "../refusals.ts";
import { isAnswer } from "./command-queue.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { performOptimistically } from "./optimistic.ts";
import type { NodeCache } from "./optimistic.ts";
import { performCommand } from "./perform.ts";
import type { PerformCommand, Performed, PerformRequest } from "./perform.ts";
import type { PoolArrivals } from "./pool-arrivals.ts";
import { newInternalKey } from "./work.ts";

/** Commands of one call, on different tasks, that one statement carries out where it can. The others follow as single commands. */
export type ManyCommand = {
  verb: "performMany";
  group: "performMany";
  keys: readonly string[];
  weight: number;
  commands: readonly PerformCommand[];
  /** The positions of the commands in the call. */
  positions: readonly number[];
};

/** The answers to commands that were sent together; null for those that follow as single commands. */
export type ManyPerformed = {
  kind: "performedMany";
  answers: readonly (Performed | Refusal | null)[];
  /** Batches whose connection was lost: they may have been committed. */
  uncertain: readonly string[];
};

/** Commands that one statement carries out. */
const MAX_TOGETHER = 500;

/** Builds the commands of one call. With a key, one record stores the answers to those that a statement carries out together. */
export function commandsOfCall(
  requests: readonly PerformRequest[],
  actor: Actor,
  confined: boolean,
  client_event_id: string | null,
): PerformCommand[] {
  const internal = newInternalKey();
  const fingerprint = client_event_id === null ? "" : fingerprintOf(["performMany", actor.id]);
  let key = { client_event_id: client_event_id ?? "", actor_id: actor.id, fingerprint };
  return requests.map((request, index) => {
    if (client_event_id === null || request.client_event_id != null)
      return performCommand(request, actor, confined, { journalKey: `${internal}.${index}` });
    if (index > 0 && index % MAX_TOGETHER === 0)
      key = { ...key, client_event_id: `${client_event_id}/${index / MAX_TOGETHER}` };
    const sent = { ...request, client_event_id: key.client_event_id };
    return performCommand(sent, actor, confined, {
      call: { key, own: `${client_event_id}.${index}`, index },
    });
  });
}

/** The commands of a call get keys made of that of the call and up to ten more characters. */
const MAX_CALL_KEY_LENGTH = 490;

/** Refuses an invalid key of a call. */
export function callKeyRefusal(key: unknown): Refusal | null {
  if (typeof key === "string" && key !== "" && key.length <= MAX_CALL_KEY_LENGTH && isStorable(key))
    return null;
  return wrongField("client_event_id", `must be a text of 1 to ${MAX_CALL_KEY_LENGTH} characters`);
}

/** Groups the commands of a call that can be carried out together. Commands on the same task, or with the same key, cannot. */
export function together(commands: readonly PerformCommand[]): ManyCommand[] {
  const groups: ManyCommand[] = [];
  for (let from = 0; from < commands.length; from += MAX_TOGETHER) {
    const keys = new Set<string>();
    const positions: number[] = [];
    for (let at = from; at < Math.min(from + MAX_TOGETHER, commands.length); at++) {
      const command = commands[at] as PerformCommand;
      // The key of the call is shared by all of its commands.
      const own = command.call ? [command.request.task_id] : command.keys;
      if (own.some((key) => keys.has(key))) continue;
      for (const key of own) keys.add(key);
      positions.push(at);
    }
    const some = positions.map((at) => commands[at] as PerformCommand);
    const call = some.find((command) => command.call)?.call;
    if (call) keys.add(`key ${call.key.client_event_id}`);
    groups.push({
      verb: "performMany",
      group: "performMany",
      keys: [...keys],
      weight: some.length,
      commands: some,
      positions,
    });
  }
  return groups;
}

/** Carries out commands of several calls in one statement. */
export async function performTogether(
  cache: NodeCache,
  org_id: string,
  groups: readonly ManyCommand[],
  arrivals: PoolArrivals,
): Promise<ManyPerformed[]> {
  const all = groups.flatMap(({ commands }) => commands);
  const outcomes = await performOptimistically(cache, org_id, all, arrivals);
  let from = 0;
  return groups.map(({ weight }) => ({
    kind: "performedMany",
    answers: outcomes.slice(from, (from += weight)).map((one) => (isAnswer(one) ? one : null)),
    uncertain: [],
  }));
}

/** Returns a command of a call as a single one, with a key of its own. */
export function single(command: PerformCommand): PerformCommand {
  const { call, actor, confined } = command;
  if (!call) return command;
  return performCommand({ ...command.request, client_event_id: call.own }, actor, confined, { call });
}
