import fc from "fast-check";
import { expect, test } from "vitest";
import type { BotAction, BotActionStatus } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { JsonObject } from "../../../src/core/index.ts";
import { BotActionService } from "../../../src/lifecycles/bot-actions/service.ts";
import { member } from "../../support/situation.ts";
import { actionIn, startChatServer } from "./chat-test-server.ts";

const server = await startChatServer();
const nodes = [
  server,
  await startChatServer({ sameDatabaseAs: server }),
  await startChatServer({ sameDatabaseAs: server }),
];
const bot = { org_id: "main", actor: member("bot", ["agent"], { kind: "service" }) };
const services = nodes.map(({ engine }) => new BotActionService(engine));

/** Returns the states of a chat's only action, as published to the chat. */
async function publishedTo(chatId: string): Promise<BotAction[]> {
  const listener = await server.listen(chatId, { query: "?after=0" });
  const { body } = await server.ask(`POST /api/chats/${chatId}/messages`, {
    token: server.ann,
    body: { text: "that is all" },
  });
  const { id } = body.message as { id: string };
  await listener.until(() =>
    listener.events.some((event) => event.type === "message" && event.message.id === id),
  );
  listener.close();
  return listener.events.flatMap((event) => (event.type === "bot_action" ? [event.action] : []));
}

test("three concurrent starts at different nodes create one action and one event", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `starts-${round}`;
    const replies = await Promise.all(nodes.map((node) => node.start("a", { chatId })));
    expect(new Set(replies.map((one) => actionIn(one).createdAt)).size).toBe(1);
    expect(await server.list(`chatId=${chatId}`)).toHaveLength(1);
    expect(await publishedTo(chatId)).toHaveLength(1);
  }
});

test("an update that races a start either is unknown or finishes the action", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `both-${round}`;
    const [started, updated] = await Promise.all([
      nodes[0]!.start("a", { chatId }),
      nodes[1]!.update("a", { chatId }),
    ]);
    const finished = updated.status === 200;
    if (!finished) expect(updated.body.code).toBe("UNKNOWN_ACTION_ID");
    expect(started.status).toBe(200);
    const statuses = (await publishedTo(chatId)).map(({ status }) => status);
    expect(statuses).toEqual(finished ? ["processing", "done"] : ["processing"]);
  }
});

test("the first of concurrent finishes wins, and all callers get its status", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `updates-${round}`;
    await server.start("a", { chatId });
    const replies = await Promise.all([
      nodes[0]!.update("a", { chatId, status: "done" }),
      nodes[1]!.update("a", { chatId, status: "error" }),
      nodes[2]!.update("a", { chatId, status: "done" }),
    ]);
    const [status, ...others] = new Set(replies.map((one) => actionIn(one).status));
    expect(others).toEqual([]);
    expect((await publishedTo(chatId)).map((action) => action.status)).toEqual(["processing", status]);
  }
});

type Call = { verb: "start" | "done" | "error"; text: string | null; load: number | null; node: number };
type Step = Call | { verb: "watchdog"; node: number };
type State = { status: BotActionStatus; displayText: string | null; payload: JsonObject | null };

const call = fc.record({
  verb: fc.constantFrom("start", "start", "done", "error"),
  text: fc.constantFrom(null, null, "", "one", "<b>one</b>", "two"),
  load: fc.constantFrom(null, null, 1, 2),
  node: fc.nat(2),
}) as fc.Arbitrary<Call>;
const watchdog = fc.record({ verb: fc.constant("watchdog" as const), node: fc.nat(2) });
const steps = fc.array(fc.oneof({ weight: 9, arbitrary: call }, { weight: 1, arbitrary: watchdog }), {
  minLength: 2,
  maxLength: 9,
});

/** The rules of the specification as a model: the state of an action after a call. */
function expectedAfter(state: State | null, step: Step): State | null {
  if (step.verb === "watchdog")
    return state?.status === "processing"
      ? { ...state, status: "error", payload: { ...state.payload, reason: "timeout" } }
      : state;
  const text = step.text?.replaceAll(/<\/?b>/g, "");
  const shown = text === undefined || text === "" ? null : text;
  const payload = step.load === null ? null : { step: step.load };
  if (step.verb === "start") {
    if (state === null) return { status: "processing", displayText: shown, payload };
    if (state.status !== "processing") return state;
    return { ...state, displayText: shown ?? state.displayText, payload: payload ?? state.payload };
  }
  if (state === null) return null;
  if (state.status !== "processing" && state.status !== step.verb) return state;
  return {
    status: step.verb,
    displayText: shown ?? state.displayText,
    payload: payload ?? state.payload,
  };
}

let chats = 0;

async function perform(chatId: string, step: Step): Promise<void> {
  const service = services[step.node]!;
  if (step.verb === "watchdog") {
    // The given clock is a day ahead, so the action has timed out.
    await nodes[step.node]!.engine.sweep({ now: Date.now() + 86_400_000, lifecycles: ["bot-actions"] });
    return;
  }
  const key = { workspaceId: "main", chatId, actionId: "a" };
  const content = { displayText: step.text, payload: step.load === null ? null : { step: step.load } };
  const options = { client_event_id: null };
  if (step.verb === "start")
    await service.start(bot, { ...key, actionType: "summarize", ...content }, options);
  else await service.update(bot, { ...key, status: step.verb, ...content }, options);
}

function stateOf({ status, displayText = null, payload = null }: BotAction): State {
  return { status, displayText, payload };
}

/** Checks the states of a stream: it begins with a start, each event changes something, and no finished action reopens. */
function faultIn(states: readonly State[]): string | null {
  for (const [n, state] of states.entries()) {
    const before = states[n - 1];
    if (!before) {
      if (state.status !== "processing") return "does not begin with a start";
      continue;
    }
    if (JSON.stringify(before) === JSON.stringify(state)) return `event ${n} changed nothing`;
    if (before.status !== "processing" && state.status !== before.status)
      return `event ${n} changes a finished action`;
  }
  return null;
}

test("two hundred random sequences of calls at changing nodes end as the rules declare", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const chatId = `chat-${++chats}`;
      let state: State | null = null;
      const states: State[] = [];
      for (const step of steps) {
        await perform(chatId, step);
        const next = expectedAfter(state, step);
        if (next && JSON.stringify(next) !== JSON.stringify(state)) states.push(next);
        state = next;
      }
      expect((await publishedTo(chatId)).map(stateOf)).toEqual(states);
    }),
    { numRuns: 200 },
  );
});

test("a thousand chats with racing calls at three nodes and a watchdog: each ends like some order of its calls", async () => {
  const runs = fc.sample(fc.array(call, { minLength: 2, maxLength: 5 }), 1_000);
  const names = runs.map((_, n) => `race-${n}`);
  const racing = runs.flatMap((calls, n) => calls.map((step) => perform(names[n]!, step)));
  const raced = new AbortController();
  const sweeps = (async () => {
    for (let node = 0; !raced.signal.aborted; node++) await perform("", { verb: "watchdog", node: node % 3 });
  })();
  await Promise.all(racing);
  raced.abort();
  await sweeps;

  const published = new Map<string, State[]>(names.map((name) => [name, []]));
  const rows = await server.sql<
    { chat: string; status: string; text: string | null; payload: JsonObject | null }[]
  >`
    select t.data ->> 'chatId' as chat, e.to_status as status, e.patch #>> '{data,displayText}' as text,
      e.patch #> '{data,payload}' as payload
    from pawl.event e join pawl.task t on t.org_id = e.org_id and t.id = e.task_id
    where t.data ->> 'chatId' like 'race-%' order by e.position`;
  for (const { chat, status, text, payload } of rows)
    published.get(chat)?.push({ status: status as BotActionStatus, displayText: text, payload });
  const faults = runs.flatMap((calls, n) => {
    const states = published.get(names[n]!) ?? [];
    const fault =
      faultIn(states) ?? (isSomeOrder(calls, states.at(-1) ?? null) ? null : "no order gives this");
    return fault === null ? [] : [{ calls, states, fault }];
  });
  expect(faults.slice(0, 3)).toEqual([]);
});

/** Checks whether some order of the calls, with the watchdog at any point or never, ends in this state. */
function isSomeOrder(calls: readonly Call[], end: State | null): boolean {
  const expected = JSON.stringify(end);
  const walk = (state: State | null, left: readonly Call[]): boolean => {
    const timedOut = expectedAfter(state, { verb: "watchdog", node: 0 });
    for (const reached of [state, timedOut]) {
      if (left.length === 0 && JSON.stringify(reached) === expected) return true;
      if (left.some((step, n) => walk(expectedAfter(reached, step), left.toSpliced(n, 1)))) return true;
    }
    return false;
  };
  return walk(null, calls);
}
