import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { describeLifecycle } from "../../src/core/describe.ts";
import { board } from "../../src/lifecycles/board/lifecycle.ts";
import { delivery } from "../../src/lifecycles/delivery/lifecycle.ts";
import { planner } from "../../src/lifecycles/planner/lifecycle.ts";
import { findAttempts } from "../../src/console/screens/task/find-attempts.ts";

/** Builds journal entries from lines of the form `actor: action to_status`. */
function journalOf(...lines: string[]) {
  let from: string | null = null;
  return lines.map((line, at) => {
    const [actor_id = "", action = "", to_status = ""] = line.split(/[: ]+/);
    const entry = { action, from_status: from, to_status, actor_id, created_at: String(at) };
    from = to_status;
    return entry;
  });
}

const attempts = (lifecycle: Parameters<typeof describeLifecycle>[0], ...lines: string[]) =>
  findAttempts(describeLifecycle(lifecycle), journalOf(...lines)).map(
    ({ started, ended }) => `${started.actor_id} ${started.action}${ended ? ` – ${ended.action}` : ""}`,
  );

test("a task that is blocked while it is assigned is still the same attempt", () => {
  expect(
    attempts(
      board,
      "ann: create NEW",
      "bob: claim IN_PROGRESS",
      "bob: block BLOCKED",
      "bob: resume IN_PROGRESS",
      "bob: complete DONE",
    ),
  ).toEqual(["bob claim – complete"]);
});

test("a task that is taken over, or released and claimed again, has two attempts", () => {
  expect(
    attempts(
      board,
      "ann: create NEW",
      "bob: claim IN_PROGRESS",
      "system: expire STUCK",
      "ann: take_over IN_PROGRESS",
    ),
  ).toEqual(["bob claim – take_over", "ann take_over"]);
  expect(
    attempts(
      delivery,
      "bot: create QUEUED",
      "w1: claim CLAIMED",
      "w1: start_download DOWNLOADING",
      "w1: fail QUEUED",
      "w2: claim CLAIMED",
    ),
  ).toEqual(["w1 claim – fail", "w2 claim"]);
});

test("a task that was never claimed has no attempts", () => {
  expect(attempts(planner, "lea: create available", "tom: claim assigned")).toEqual(["tom claim"]);
  expect(
    attempts(planner, "lea: create blocked", "system: unblock available", "lea: cancel canceled"),
  ).toEqual([]);
});

test("a lifecycle without claims has no attempts", () => {
  const letter = defineLifecycle({
    name: "letter",
    version: 1,
    summary: "",
    statuses: { draft: {}, approved: {}, sent: { final: true } },
    actions: { approve: {}, send: {} },
    creation: { input: z.object({}), to: [{ status: "draft" }], draft: () => ({ title: "", data: {} }) },
    rules: [
      { action: "approve", from: "draft", to: "approved", who: "anyone" },
      { action: "send", from: "approved", to: "sent", who: "anyone" },
    ],
  });
  expect(attempts(letter, "ann: create draft", "bob: approve approved")).toEqual([]);
});
