import fc from "fast-check";
import { expect, test } from "vitest";
import type { BotAction, BotActionStatus } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import type { JsonObject } from "../../../src/core/index.ts";
import { BotActionDesk } from "../../../src/lifecycles/bot-actions/service.ts";
import { member } from "../../support/situation.ts";
import { actionIn, openChatRoom } from "./chat-room.ts";

const room = await openChatRoom();
const nodes = [room, await openChatRoom({ beside: room }), await openChatRoom({ beside: room })];
const bot = { org_id: "main", actor: member("bot", ["agent"], { kind: "service" }) };
const desks = nodes.map(({ engine }) => new BotActionDesk(engine));

/** The words of the one action `a` of a chat, as its chat has been told them. */
async function toldOf(chatId: string): Promise<BotAction[]> {
  const heard = await room.listen(chatId, { query: "?after=0" });
  const { body } = await room.ask(`POST /api/chats/${chatId}/messages`, {
    token: room.ann,
    body: { text: "that is all" },
  });
  const { id } = body.message as { id: string };
  await heard.until(() => heard.events.some((event) => event.type === "message" && event.message.id === id));
  heard.close();
  return heard.events.flatMap((event) => (event.type === "bot_action" ? [event.action] : []));
}

test("three starts in a race, each at another node, make one action and one event", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `starts-${round}`;
    const heard = await Promise.all(nodes.map((node) => node.start("a", { chatId })));
    expect(new Set(heard.map((one) => actionIn(one).createdAt)).size).toBe(1);
    expect(await room.list(`chatId=${chatId}`)).toHaveLength(1);
    expect(await toldOf(chatId)).toHaveLength(1);
  }
});

test("of a start and an update in a race the update is unknown or finishes it, and nothing lies between", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `both-${round}`;
    const [started, updated] = await Promise.all([
      nodes[0]!.start("a", { chatId }),
      nodes[1]!.update("a", { chatId }),
    ]);
    const finished = updated.status === 200;
    if (!finished) expect(updated.body.code).toBe("UNKNOWN_ACTION_ID");
    expect(started.status).toBe(200);
    const statuses = (await toldOf(chatId)).map(({ status }) => status);
    expect(statuses).toEqual(finished ? ["processing", "done"] : ["processing"]);
  }
});

test("of two finishes in a race the first wins, and both hear the same", async () => {
  for (let round = 0; round < 20; round++) {
    const chatId = `updates-${round}`;
    await room.start("a", { chatId });
    const heard = await Promise.all([
      nodes[0]!.update("a", { chatId, status: "done" }),
      nodes[1]!.update("a", { chatId, status: "error" }),
      nodes[2]!.update("a", { chatId, status: "done" }),
    ]);
    const [status, ...others] = new Set(heard.map((one) => actionIn(one).status));
    expect(others).toEqual([]);
    expect((await toldOf(chatId)).map((told) => told.status)).toEqual(["processing", status]);
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

/** The table of the rules, as it stands in the book: what a call makes of an action. */
function after(state: State | null, step: Step): State | null {
  if (step.verb === "watchdog")
    return state?.status === "processing"
      ? { ...state, status: "error", payload: { ...state.payload, reason: "timeout" } }
      : state;
  const said = step.text?.replaceAll(/<\/?b>/g, "");
  const shown = said === undefined || said === "" ? null : said;
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
  const desk = desks[step.node]!;
  if (step.verb === "watchdog") {
    // The sweep of whoever's time is over: of this action, since the clock is given.
    await nodes[step.node]!.engine.sweep({ now: Date.now() + 86_400_000, lifecycles: ["bot-actions"] });
    return;
  }
  const place = { workspaceId: "main", chatId, actionId: "a" };
  const words = { displayText: step.text, payload: step.load === null ? null : { step: step.load } };
  const key = { client_event_id: null };
  if (step.verb === "start") await desk.start(bot, { ...place, actionType: "summarize", ...words }, key);
  else await desk.update(bot, { ...place, status: step.verb, ...words }, key);
}

function stateOf({ status, displayText = null, payload = null }: BotAction): State {
  return { status, displayText, payload };
}

/** What every stream must be: it begins with a start, each event changes something, and none brings a finished one back. */
function faultIn(told: readonly State[]): string | null {
  for (const [n, state] of told.entries()) {
    const before = told[n - 1];
    if (!before) {
      if (state.status !== "processing") return "it does not begin with a start";
      continue;
    }
    if (JSON.stringify(before) === JSON.stringify(state)) return `event ${n} changed nothing`;
    if (before.status !== "processing" && state.status !== before.status) return `event ${n} moves back`;
  }
  return null;
}

test("two hundred random orders, one call after the other at changing nodes, end as the table says", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (wanted) => {
      const chatId = `chat-${++chats}`;
      let state: State | null = null;
      const states: State[] = [];
      for (const step of wanted) {
        await perform(chatId, step);
        const next = after(state, step);
        if (next && JSON.stringify(next) !== JSON.stringify(state)) states.push(next);
        state = next;
      }
      expect((await toldOf(chatId)).map(stateOf)).toEqual(states);
    }),
    { numRuns: 200 },
  );
});

test("a thousand chats at once, each with calls in a race at three nodes and a watchdog: each ends as some order of them says", async () => {
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

  const told = new Map<string, State[]>(names.map((name) => [name, []]));
  const rows = await room.sql<
    { chat: string; status: string; text: string | null; payload: JsonObject | null }[]
  >`
    select t.data ->> 'chatId' as chat, e.to_status as status, e.patch #>> '{data,displayText}' as text,
      e.patch #> '{data,payload}' as payload
    from pawl.event e join pawl.task t on t.org_id = e.org_id and t.id = e.task_id
    where t.data ->> 'chatId' like 'race-%' order by e.position`;
  for (const { chat, status, text, payload } of rows)
    told.get(chat)?.push({ status: status as BotActionStatus, displayText: text, payload });
  const faults = runs.flatMap((calls, n) => {
    const states = told.get(names[n]!) ?? [];
    const fault =
      faultIn(states) ?? (isSomeOrder(calls, states.at(-1) ?? null) ? null : "no order gives this");
    return fault === null ? [] : [{ calls, states, fault }];
  });
  expect(faults.slice(0, 3)).toEqual([]);
});

/** Whether some order of the calls, with the watchdog at any place or none, ends so. */
function isSomeOrder(calls: readonly Call[], end: State | null): boolean {
  const wanted = JSON.stringify(end);
  const walk = (state: State | null, left: readonly Call[]): boolean => {
    const bitten = after(state, { verb: "watchdog", node: 0 });
    for (const reached of [state, bitten]) {
      if (left.length === 0 && JSON.stringify(reached) === wanted) return true;
      if (left.some((step, n) => walk(after(reached, step), left.toSpliced(n, 1)))) return true;
    }
    return false;
  };
  return walk(null, calls);
}
