import { z } from "zod";
import { PawlProblem } from "../../client/index.ts";
import type { FeedEvent } from "../../client/index.ts";
import type { ToolContext } from "../tool-context.ts";
import { findLifecycleName } from "../format-lifecycles.ts";
import { formatEvent } from "../format-task.ts";
import { name, taskId, tool } from "../tool.ts";

/** Below the timeout of most MCP clients, which is one minute. */
const MAX_WAIT_SECONDS = 50;
/** Waits this long after the first event, so that events of one commit are returned together. */
const COLLECT_MS = 150;
const MAX_EVENTS = 50;
const MAX_TITLES = 20;

const input = z.strictObject({
  after: z
    .int()
    .min(0)
    .optional()
    .describe("position from an earlier reply: returns the changes after it (default: now)"),
  seconds: z.number().min(1).max(MAX_WAIT_SECONDS).default(25),
  lifecycle: name.optional(),
  project_id: name.optional(),
  task_id: taskId.optional(),
});

export const waitForChanges = tool({
  name: "wait_for_changes",
  title: "Wait for changes",
  reads: true,
  describe: () =>
    `Waits until others change tasks that you may see, at most \`seconds\` (up to ${MAX_WAIT_SECONDS}), and returns the changes and the next \`after\`. Your own actions are left out. Use it instead of polling.`,
  input,
  run: async (context, given) => {
    const { lifecycle, task_id } = given;
    // Refuse a wrong name or id at once: no event would ever match it.
    const named = lifecycle === undefined ? "" : await findLifecycleName(context, lifecycle);
    if (typeof named !== "string") return named;
    if (task_id !== undefined) await context.client.getTask({ id: task_id }, { signal: context.signal });
    const { events, position } = await collectEvents(context, given);
    const after = position ?? given.after ?? 0;
    const titles = await titlesOf(context, events);
    const again = `wait_for_changes {after: ${after}}`;
    if (events.length === 0)
      return {
        text: `Nothing changed in ${given.seconds} s. Next: ${again} to continue waiting, or claim_task.`,
        data: { events: [], after },
      };
    const lines = events.map(({ position: _, ...event }) => {
      const title = titles.get(event.task_id);
      const name = `${event.task_id}${title === undefined ? "" : ` "${title}"`}`;
      return `- ${name} (${event.lifecycle}): ${formatEvent({ ...event, comment: null }, context.now())}`;
    });
    return {
      text: [
        ...lines,
        `Next: get_task or claim_task on tasks that concern you; ${again} for later changes.`,
      ].join("\n"),
      data: { events: events.map(eventSummaryOf), after },
    };
  },
});

/** Collects events until the first ones arrive or the time is over. Reconnects if the server restarts. */
async function collectEvents(
  context: ToolContext,
  { seconds, after, ...filter }: z.output<typeof input>,
): Promise<{ events: FeedEvent[]; position: number | undefined }> {
  const me = await context.me();
  const timeUp = new AbortController();
  const end = () => {
    timeUp.abort();
  };
  const timers = [setTimeout(end, seconds * 1_000)];
  const events: FeedEvent[] = [];
  let position: number | undefined;
  try {
    const listening = context.client.events({
      ...filter,
      after,
      signal: AbortSignal.any([context.signal, timeUp.signal]),
      onPosition: (at) => {
        position = at;
      },
    });
    for await (const event of listening) {
      position = event.position;
      if (event.actor_id === me.id) continue;
      events.push(event);
      if (events.length === 1) timers.push(setTimeout(end, COLLECT_MS));
      if (events.length >= MAX_EVENTS) break;
    }
  } finally {
    timers.forEach(clearTimeout);
  }
  return { events, position };
}

async function titlesOf(
  { client, signal }: ToolContext,
  events: readonly FeedEvent[],
): Promise<Map<string, string>> {
  const ids = [...new Set(events.map((event) => event.task_id))].slice(0, MAX_TITLES);
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return [[id, (await client.getTask({ id }, { signal })).title] as const];
      } catch (error) {
        // The caller could see the task at the time of the event, and no longer can.
        if (error instanceof PawlProblem) return [];
        throw error;
      }
    }),
  );
  return new Map(found.flat());
}

function eventSummaryOf({
  position,
  task_id,
  lifecycle,
  action,
  from_status,
  to_status,
  actor_id,
}: FeedEvent) {
  return { position, task_id, lifecycle, action, from_status, to_status, actor_id };
}
