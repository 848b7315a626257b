import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer({ server: { requestsPerMinute: 5 } });
const [ann, bob] = [await server.member({ id: "ann" }), await server.member({ id: "bob" })];

test("a token over its limit gets 429 with Retry-After, and other tokens are not affected", async () => {
  const words = await Promise.all(
    Array.from({ length: 8 }, async () => outcomeOf(await server.ask("GET /api/me", { token: ann }))),
  );
  expect(words.sort()).toEqual([
    ...Array<string>(5).fill("200"),
    ...Array<string>(3).fill("429 RATE_LIMITED"),
  ]);
  const reply = await server.ask("GET /api/nothing", { token: ann });
  expect(outcomeOf(reply)).toBe("429 RATE_LIMITED");
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(reply.body.retry_after_seconds).toBe(Number(reply.headers.get("retry-after")));
  expect(outcomeOf(await server.ask("GET /api/me", { token: bob }))).toBe("200");
  expect(outcomeOf(await server.ask("GET /live", { token: ann }))).toBe("200");
});

test("each token of a member has its own limit", async () => {
  const { body } = await server.ask("POST /api/members/ann/tokens");
  expect(outcomeOf(await server.ask("GET /api/me", { token: String(body.token) }))).toBe("200");
});
