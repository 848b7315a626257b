import { expect, test } from "vitest";
import { z } from "zod";
import { botActions } from "../lifecycles/bot-actions/lifecycle.ts";
import { board } from "../lifecycles/board/lifecycle.ts";
import { planner } from "../lifecycles/planner/lifecycle.ts";
import { defineLifecycle } from "./define-lifecycle.ts";
import { mermaid, permissionsTable, rulesTable, statusesTable } from "./diagram.ts";

test("Mermaid draws each arrow once, from creation to the final statuses", () => {
  expect(mermaid(botActions)).toBe(
    [
      "stateDiagram-v2",
      "    [*] --> processing: create",
      "    processing --> done: update",
      "    processing --> error: update, time_out",
      "    done --> [*]",
      "    error --> [*]",
    ].join("\n"),
  );
});

test("a status that is not a valid Mermaid id gets an alias", () => {
  const lifecycle = defineLifecycle({
    name: "t",
    version: 1,
    summary: "",
    statuses: { "in review": {}, "100 %": { final: true } },
    actions: { accept: {} },
    creation: { input: z.object({}), to: [{ status: "in review" }], draft: () => ({ title: "", data: {} }) },
    rules: [{ action: "accept", from: "in review", to: "100 %", who: "anyone" }],
  });
  expect(mermaid(lifecycle)).toContain('state "in review" as in_review');
  expect(mermaid(lifecycle)).toContain("in_review --> 100__: accept");
});

test("two statuses that map to the same Mermaid id stay apart", () => {
  const lifecycle = defineLifecycle({
    name: "t",
    version: 1,
    summary: "",
    statuses: { "в работе": {}, "готовое!": { final: true } },
    actions: { accept: {} },
    creation: { input: z.object({}), to: [{ status: "в работе" }], draft: () => ({ title: "", data: {} }) },
    rules: [{ action: "accept", from: "в работе", to: "готовое!", who: "anyone" }],
  });
  expect(mermaid(lifecycle)).toContain("________ --> _________1: accept");
});

test("the table of rules has every rule in order, with who, roles, guards, effects and event", () => {
  const lines = rulesTable(board).split("\n");
  expect(lines).toHaveLength(2 + board.rules.length);
  expect(lines[3]).toBe(
    "| claim | NEW → IN_PROGRESS | anyone |  | no assignee; public; blockers done; available now | assign actor | claimed |",
  );
  expect(rulesTable(botActions)).toContain("*unchanged, absorbed*");
});

test("the table of statuses describes timers in words", () => {
  expect(statusesTable(board)).toContain(
    "| NEW | created, waits for someone | expire: `status_deadlines.NEW` (minutes) after entered_at; waits for blockers if `new_deadline_waits_for_blockers` is on |",
  );
});

test("the table of permissions has a column for each role", () => {
  const [head, , ...rows] = permissionsTable(planner).split("\n");
  expect(head).toBe("| permission | executor | lead | supervisor | system | admin | viewer |");
  expect(rows).toContain("| task.assign |  | yes | yes |  |  |  |");
});
