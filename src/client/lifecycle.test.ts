import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../core/index.ts";
import { defineRoutes } from "../api/index.ts";
import type { board } from "../lifecycles/board/lifecycle.ts";
import { createClient } from "./index.ts";
import type { ActionOf, Client, FeedEvent, MovedOf, StatusOf, TaskOf } from "./index.ts";

const letter = defineLifecycle({
  name: "letter",
  version: 1,
  summary: "Letters",
  data: z.object({ to: z.string(), stamps: z.number() }),
  statuses: { written: {}, sent: { final: true, success: true } },
  actions: {
    stamp: { input: z.object({ stamps: z.coerce.number<number>().default(1) }) },
    address: { input: z.object({ to: z.string(), country: z.enum(["de", "fr"]).optional() }) },
    send: { comment: "required", expected_row_version: "required" },
  },
  creation: {
    input: z.object({ title: z.string(), to: z.string().default("nobody") }),
    to: [{ status: "written" }],
    draft: ({ input }) => ({ title: input.title, data: { to: input.to, stamps: 0 } }),
  },
  rules: [
    { action: "stamp", from: "written", who: "anyone" },
    { action: "address", from: "written", who: "anyone" },
    { action: "send", from: "written", to: "sent", who: "anyone" },
  ],
});
type Letter = typeof letter;

/** Never called: only the compiler checks it. */
function checkTaskTypes(client: Client<Letter | typeof board>) {
  const letters = client.lifecycle("letter");
  expectTypeOf<ActionOf<Letter>>().toEqualTypeOf<"stamp" | "address" | "send">();
  expectTypeOf<StatusOf<Letter>>().toEqualTypeOf<"written" | "sent">();
  expectTypeOf(letters.get).returns.resolves.toEqualTypeOf<TaskOf<Letter>>();
  expectTypeOf<TaskOf<Letter>["data"]>().toEqualTypeOf<{ to: string; stamps: number }>();
  expectTypeOf<TaskOf<Letter>["lifecycle"]>().toEqualTypeOf<"letter">();

  void letters.act("id", "stamp");
  void letters.act("id", "stamp", { payload: { stamps: 2 }, comment: "twice" });
  void letters.act("id", "address", { payload: { to: "Ann", country: "fr" } }, {});
  void letters.act("id", "send", { comment: "off it goes", expected_row_version: 3 });
  // @ts-expect-error no such action
  void letters.act("id", "burn");
  // @ts-expect-error the payload is required
  void letters.act("id", "address");
  // @ts-expect-error a field of the payload is missing
  void letters.act("id", "address", { payload: { country: "de" } });
  // @ts-expect-error not a value of the enum
  void letters.act("id", "address", { payload: { to: "Ann", country: "xx" } });
  // @ts-expect-error a string instead of a number
  void letters.act("id", "stamp", { payload: { stamps: "two" } });
  // @ts-expect-error this action has no payload
  void letters.act("id", "send", { comment: "x", expected_row_version: 3, payload: { to: "Ann" } });
  // @ts-expect-error the comment is required
  void letters.act("id", "send", { expected_row_version: 3 });
  // @ts-expect-error the version is required
  void letters.act("id", "send", { comment: "x" });

  void letters.actAll([
    { id: "1", action: "stamp" },
    { id: "2", action: "address", payload: { to: "Bob" } },
    // @ts-expect-error the payload of another action
    { id: "3", action: "stamp", payload: { to: "Bob" } },
  ]);

  void letters.create({ title: "Dear Ann", project_id: "main", client_event_id: "1" });
  // @ts-expect-error the title is required
  void letters.create({ to: "Ann" });
  // @ts-expect-error a number instead of a string
  void letters.create({ title: "Dear Ann", to: 7 });

  void letters.list({ status: ["written"], assigned_to: "me" });
  // @ts-expect-error no such status
  void letters.list({ status: ["burnt"] });

  // @ts-expect-error no such lifecycle
  client.lifecycle("postcard");
  void client.lifecycle("board").act("id", "take_over", { comment: "abandoned" });
  expectTypeOf(client.lifecycle(letter).act("id", "stamp")).resolves.toEqualTypeOf<MovedOf<Letter>>();
}

function checkCallTypes(client: Client) {
  expectTypeOf(client.getTask).parameter(0).toEqualTypeOf<{ id: string }>();
  expectTypeOf(client.drawLifecycle({ name: "board" })).resolves.toBeString();
  expectTypeOf(client.revokeToken({ id: "1" })).resolves.toBeUndefined();
  void client.listTasks();
  void client.getMe(undefined, {});
  void client.moveTask({ id: "1", action: "claim", comment: "mine" });
  void client.moveTasks([{ id: "1", action: "claim" }]);
  // @ts-expect-error the id is required
  void client.getTask();
  // @ts-expect-error no such field
  void client.listTasks({ colour: "red" });
  expectTypeOf(client.streamEvents()).toEqualTypeOf<AsyncGenerator<FeedEvent, void, undefined>>();
  // @ts-expect-error a limit is a number
  void client.claimTasks({ lifecycle: "board", limit: "1" });

  // Without a definition, names are plain strings.
  const anything = client.lifecycle("whatever");
  void anything.act("id", "do", { payload: { this: "that" } });
  void anything.create({ title: "x", colour: "red" });
  expectTypeOf<TaskOf["data"]>().toEqualTypeOf<Record<string, unknown>>();

  const table = defineRoutes({
    rate: {
      method: "POST",
      path: "/api/letters/{id}/ratings/{name}",
      group: "Letters",
      summary: "Rate a letter",
      body: z.object({ stars: z.number() }),
      replies: { 200: z.object({ average: z.number() }) },
    },
  });
  const own = client.calls(table);
  expectTypeOf(own.rate({ id: "1", name: "style", stars: 5 })).resolves.toEqualTypeOf<{ average: number }>();
  // @ts-expect-error a path parameter is missing
  void own.rate({ id: "1", stars: 5 });
}

test("a client has functions for routes and lifecycles", () => {
  const client = createClient<Letter>({ url: "http://127.0.0.1:9" });
  expect(typeof client.moveTask).toBe("function");
  expect(client.lifecycle(letter).lifecycle).toBe("letter");
  expect([checkTaskTypes.length, checkCallTypes.length]).toEqual([1, 1]);
});
