import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";

const desk = await openFrontDesk({ server: { requestsPerMinute: 5 } });
const [ann, bob] = [await desk.member({ id: "ann" }), await desk.member({ id: "bob" })];

test("a token that is used too often is told when to come again, and others are not kept waiting", async () => {
  const words = await Promise.all(
    Array.from({ length: 8 }, async () => wordOf(await desk.ask("GET /api/me", { token: ann }))),
  );
  expect(words.sort()).toEqual([
    ...Array<string>(5).fill("200"),
    ...Array<string>(3).fill("429 RATE_LIMITED"),
  ]);
  const heard = await desk.ask("GET /api/nothing", { token: ann });
  expect(wordOf(heard)).toBe("429 RATE_LIMITED");
  expect(Number(heard.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(heard.body.retry_after_seconds).toBe(Number(heard.headers.get("retry-after")));
  expect(wordOf(await desk.ask("GET /api/me", { token: bob }))).toBe("200");
  expect(wordOf(await desk.ask("GET /live", { token: ann }))).toBe("200");
});

test("another token of the same member has a measure of its own", async () => {
  const { body } = await desk.ask("POST /api/members/ann/tokens");
  expect(wordOf(await desk.ask("GET /api/me", { token: String(body.token) }))).toBe("200");
});
