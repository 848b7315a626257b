import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { connectAgent, openMcpDesk } from "./agent.ts";

const MOST_TOKENS = 5_000;

/** A lifecycle of a user's own, with much to say about itself. */
function wordy(name: string) {
  const fields = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`a_rather_long_field_name_${n}`, z.string().optional()]),
  );
  return defineLifecycle({
    name,
    version: 1,
    summary: "Things that take many words",
    statuses: { waiting_for_somebody: {}, finished_at_last: { final: true, success: true } },
    actions: { finish_it_at_last: { input: z.object(fields) }, look_at_it_again: {} },
    creation: {
      input: z.object({ title: z.string(), ...fields }),
      to: [{ status: "waiting_for_somebody" }],
      draft: ({ input }) => ({ title: input.title, data: {} }),
    },
    rules: [
      { action: "finish_it_at_last", from: "waiting_for_somebody", to: "finished_at_last", who: "anyone" },
      { action: "look_at_it_again", from: "waiting_for_somebody", who: "anyone" },
    ],
  });
}

const many = Array.from({ length: 30 }, (_, n) => wordy(`wordy-lifecycle-${n}`));

const all = [...LIFECYCLES, ...many];

test.each([
  ["the lifecycles that ship", LIFECYCLES, await openMcpDesk()],
  ["thirty wordy ones of a user's own beside them", all, await openMcpDesk({ lifecycles: all })],
] as const)(
  "with %s the list of at most seven tools stays below 5,000 tokens",
  async (_, lifecycles, desk) => {
    const token = await desk.member({ id: "alpha", roles: ["agent"] });
    const agent = await connectAgent("http", { url: desk.url, token });
    const { tools } = await agent.client.listTools();
    const text = JSON.stringify(tools);
    const tokens = Math.max(encodeO200k(text).length, encodeCl100k(text).length);
    expect(tools.length).toBeLessThanOrEqual(7);
    expect(tokens, "tokens of the list").toBeLessThan(MOST_TOKENS);
    // Every lifecycle can be found by its name, and be read about.
    const listed = tools.find(({ name }) => name === "create_tasks")?.description ?? "";
    for (const { name } of LIFECYCLES) expect(listed).toContain(`- ${name}: `);
    if (lifecycles.length > LIFECYCLES.length) expect(listed).toContain("wordy-lifecycle-7");
    const told = await agent.call("get_task", { lifecycle: lifecycles.at(-1)!.name });
    expect(told.text).toContain("To create");
  },
);
