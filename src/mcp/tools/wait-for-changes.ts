import { z } from "zod";
import { PawlProblem } from "../../client/index.ts";
import type { FeedEvent } from "../../client/index.ts";
import type { Desk } from "../desk.ts";
import { lifecycleNamed } from "../tell-lifecycles.ts";
import { tellEvent } from "../tell-task.ts";
import { name, taskId, tool } from "../tool.ts";

/** Below the minute after which clients of tools usually give up. */
const LONGEST_WAIT_SECONDS = 50;
/** What was committed together is told together. */
const GATHER_MS = 150;
const MOST_EVENTS = 50;
const MOST_TITLES = 20;

const input = z.strictObject({
  after: z
    .int()
    .min(0)
    .optional()
    .describe("position that another answer gave: nothing since is missed; from now on unless given"),
  seconds: z.number().min(1).max(LONGEST_WAIT_SECONDS).default(25),
  lifecycle: name.optional(),
  project_id: name.optional(),
  task_id: taskId.optional(),
});

export const waitForChanges = tool({
  name: "wait_for_changes",
  title: "Wait for changes",
  reads: true,
  describe: () =>
    `Waits until others change tasks that you may see, at most \`seconds\` (up to ${LONGEST_WAIT_SECONDS}), and tells what they did and the next \`after\`. Your own actions are not told. Use it instead of asking again and again.`,
  input,
  run: async (desk, given) => {
    const { lifecycle, task_id } = given;
    // A misspelt name or id is refused at once: no event would ever match it.
    const named = lifecycle === undefined ? "" : await lifecycleNamed(desk, lifecycle);
    if (typeof named !== "string") return named;
    if (task_id !== undefined) await desk.client.getTask({ id: task_id }, { signal: desk.signal });
    const { events, position } = await gather(desk, given);
    const after = position ?? given.after ?? 0;
    const titles = await titlesOf(desk, events);
    const again = `wait_for_changes {after: ${after}}`;
    if (events.length === 0)
      return {
        text: `Nothing has changed in ${given.seconds} s. Next: ${again} to go on waiting, or claim_task.`,
        data: { events: [], after },
      };
    const lines = events.map(({ position: _, ...event }) => {
      const title = titles.get(event.task_id);
      const name = `${event.task_id}${title === undefined ? "" : ` "${title}"`}`;
      return `- ${name} (${event.lifecycle}): ${tellEvent({ ...event, comment: null }, desk.now())}`;
    });
    return {
      text: [
        ...lines,
        `Next: get_task or claim_task on what concerns you; ${again} for what comes after.`,
      ].join("\n"),
      data: { events: events.map(briefOf), after },
    };
  },
});

/** Listens until something has happened, or the time is over. A server that restarts meanwhile is found again. */
async function gather(
  desk: Desk,
  { seconds, after, ...filter }: z.output<typeof input>,
): Promise<{ events: FeedEvent[]; position: number | undefined }> {
  const me = await desk.me();
  const over = new AbortController();
  const end = () => {
    over.abort();
  };
  const timers = [setTimeout(end, seconds * 1_000)];
  const events: FeedEvent[] = [];
  let position: number | undefined;
  try {
    const listening = desk.client.events({
      ...filter,
      after,
      signal: AbortSignal.any([desk.signal, over.signal]),
      onPosition: (at) => {
        position = at;
      },
    });
    for await (const event of listening) {
      position = event.position;
      if (event.actor_id === me.id) continue;
      events.push(event);
      if (events.length === 1) timers.push(setTimeout(end, GATHER_MS));
      if (events.length >= MOST_EVENTS) break;
    }
  } finally {
    timers.forEach(clearTimeout);
  }
  return { events, position };
}

async function titlesOf(
  { client, signal }: Desk,
  events: readonly FeedEvent[],
): Promise<Map<string, string>> {
  const ids = [...new Set(events.map((event) => event.task_id))].slice(0, MOST_TITLES);
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return [[id, (await client.getTask({ id }, { signal })).title] as const];
      } catch (error) {
        // It was told of while the caller could see it, and he cannot any more.
        if (error instanceof PawlProblem) return [];
        throw error;
      }
    }),
  );
  return new Map(found.flat());
}

function briefOf({ position, task_id, lifecycle, action, from_status, to_status, actor_id }: FeedEvent) {
  return { position, task_id, lifecycle, action, from_status, to_status, actor_id };
}
