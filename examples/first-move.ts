import { decide, explain, LIFECYCLES, SYSTEM } from "pawl";
import type { Actor, Command, Situation } from "pawl";

const board = LIFECYCLES.find((lifecycle) => lifecycle.name === "board")!;
const ann: Actor = { ...SYSTEM, id: "ann", name: "Ann", kind: "agent", roles: ["agent"] };
const now = Date.UTC(2026, 0, 5, 12);

const situation: Situation = {
  task: {
    id: "t-1",
    org_id: "main",
    project_id: "main",
    lifecycle: "board",
    lifecycle_version: 1,
    status: "NEW",
    row_version: 1,
    title: "Write the release notes",
    data: { description: "Everything since 0.1" },
    created_by: "cat",
    assigned_to: null,
    private: false,
    priority: 0,
    attempt: 0,
    open_blockers: 0,
    open_holds: 0,
    due_at: now + 7_200_000,
    due_action: "expire",
    available_at: null,
    exclusive_key: null,
    needs_attention: false,
    lease: null,
    created_at: now,
    updated_at: now,
    entered_at: now,
  },
  actor: ann,
  facts: {},
  settings: board.settings.parse({}),
  now,
};
const command = (action: string): Command => ({
  action,
  input: {},
  comment: "I have time",
  expected_row_version: null,
  lease_token: null,
});

const claimed = decide(board, situation, command("claim"));
if (claimed.kind === "moved") console.log(`claim: ${claimed.event.from} → ${claimed.to}`, claimed.patch);

const refused = decide(board, situation, command("complete"));
if (refused.kind === "refused") console.log(`complete: ${refused.code}, ${refused.detail}`);

const may = explain(board, situation).filter((answer) => answer.allowed);
console.log(`Ann may: ${may.map((answer) => answer.action).join(", ")}`);
