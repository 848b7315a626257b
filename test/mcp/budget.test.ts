import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { connectAgent, startMcpServer } from "./agent.ts";

const MAX_TOKENS = 5_000;

/** A user's lifecycle with a long description. */
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
  ["the built-in lifecycles", LIFECYCLES, await startMcpServer()],
  ["thirty wordy lifecycles of a user in addition", all, await startMcpServer({ lifecycles: all })],
] as const)(
  "with %s the list of at most seven tools stays below 5,000 tokens",
  async (_, lifecycles, server) => {
    const token = await server.member({ id: "alpha", roles: ["agent"] });
    const agent = await connectAgent("http", { url: server.url, token });
    const { tools } = await agent.client.listTools();
    const text = JSON.stringify(tools);
    const tokens = Math.max(encodeO200k(text).length, encodeCl100k(text).length);
    expect(tools.length).toBeLessThanOrEqual(7);
    expect(tokens, "tokens of the list").toBeLessThan(MAX_TOKENS);
    // Every lifecycle is listed at least by its name, and get_task explains it.
    const listed = tools.find(({ name }) => name === "create_tasks")?.description ?? "";
    for (const { name } of LIFECYCLES) expect(listed).toContain(`- ${name}: `);
    if (lifecycles.length > LIFECYCLES.length) expect(listed).toContain("wordy-lifecycle-7");
    const explained = await agent.call("get_task", { lifecycle: lifecycles.at(-1)!.name });
    expect(explained.text).toContain("To create");
  },
);
