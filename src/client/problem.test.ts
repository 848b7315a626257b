import { expect, test } from "vitest";
import { isTransient, PawlProblem, problemOfAnswer, secondsOf, noAnswer } from "./problem.ts";

const NOW = Date.parse("2026-01-05T12:00:00Z");

test.each([
  [null, null],
  ["", null],
  ["0", 0],
  ["7", 7],
  ["-3", 0],
  ["Mon, 05 Jan 2026 12:00:30 GMT", 30],
  ["Mon, 05 Jan 2026 11:00:00 GMT", 0],
  ["soon", null],
])("Retry-After %j is %j seconds", (header, seconds) => {
  expect(secondsOf(header, NOW)).toBe(seconds);
});

test("a problem document becomes a PawlProblem with its extra fields as params", () => {
  const document = {
    type: "/docs#VERSION_CONFLICT",
    title: "The task has changed meanwhile",
    status: 409,
    detail: "You saw version 1.",
    code: "VERSION_CONFLICT",
    next: "Read it again and decide anew.",
    instance: "urn:pawl:request:1",
    row_version: 2,
  };
  const headers = { "x-request-id": "1", "retry-after": "4" };
  const answer = new Response(null, { status: 409, headers });
  const problem = problemOfAnswer("POST /x", answer, JSON.stringify(document));
  expect(problem).toBeInstanceOf(PawlProblem);
  expect(Object.fromEntries(Object.entries(problem))).toEqual({
    name: "PawlProblem",
    code: "VERSION_CONFLICT",
    status: 409,
    detail: "You saw version 1.",
    next: "Read it again and decide anew.",
    params: { row_version: 2 },
    retryAfter: 4,
    requestId: "1",
  });
});

test.each([
  [502, "<h1>Bad Gateway</h1>", "UNAVAILABLE"],
  [503, "", "UNAVAILABLE"],
  [504, "{}", "UNAVAILABLE"],
  [404, "<h1>Not Found</h1>", "UNEXPECTED_ANSWER"],
  [500, '"oops"', "UNEXPECTED_ANSWER"],
  [500, "null", "UNEXPECTED_ANSWER"],
])("an answer %i with %j is %s", (status, text, code) => {
  const problem = problemOfAnswer("GET /x", new Response(null, { status }), text);
  expect(problem).toMatchObject({ code, status });
  expect(isTransient(problem)).toBe(code === "UNAVAILABLE");
});

test("a missing answer is reported with its cause", () => {
  const cause = new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
  const problem = noAnswer("GET http://x/api/me", cause);
  expect(problem.message).toBe("No answer from GET http://x/api/me: fetch failed, ECONNREFUSED.");
  expect(problem).toMatchObject({ code: "UNAVAILABLE", status: 0, cause });
  expect(noAnswer("GET /x", "gone").message).toBe("No answer from GET /x: gone.");
});
