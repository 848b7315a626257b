import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { plannerPermissions } from "../../../src/lifecycles/planner/permissions.ts";
import type { Route } from "../../../src/api/index.ts";
import { PLANNER_ROUTES } from "../../../src/lifecycles/planner/api.ts";
import { addPlannerCommands } from "../../../src/lifecycles/planner/cli/commands.ts";
import { Command } from "commander";
import picocolors from "picocolors";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const ROLES: Record<string, Who> = {
  executor: "bob",
  lead: "lea",
  supervisor: "sue",
  system: "rob",
  admin: "adam",
  viewer: "vic",
};
const NOWHERE = "0197a000-0000-7000-8000-000000000001";
const tasks = `/tasks/${NOWHERE}`;
const defect = { description: "a crack" };
const hours = { starts_at: "2030-01-01T08:00:00Z", ends_at: "2030-01-01T16:00:00Z" };
const pattern = {
  name: "Early",
  starts: "06:00",
  ends: "14:00",
  time_zone: "UTC",
  weekdays: ["mon"],
  from_date: "2030-01-01",
  members: ["bob"],
};

/** The table of the specification: a permission, its roles, and requests that need it. Their tasks do not exist. */
type Row = [permission: string, holders: string, ...asks: [what: string, body?: JsonObject][]];
const act = (action: string, payload: JsonObject = {}): [string, JsonObject] => [
  `POST ${tasks}/transitions`,
  { action, payload, expected_row_version: 1 },
];
const reason = { reason: "other", text: "because" };
const TABLE: Row[] = [
  [
    "task.read",
    "executor lead supervisor system admin viewer",
    [`GET ${tasks}`],
    ["GET /tasks"],
    ["GET /pool"],
    ["GET /defects"],
    [`GET /defects/${NOWHERE}`],
    [`GET ${tasks}/transitions`],
    [`GET ${tasks}/holds`],
    [`GET ${tasks}/contributors`],
    [`GET ${tasks}/escalations`],
  ],
  ["attention.read", "lead supervisor admin viewer", ["GET /attention"]],
  ["stats.read", "lead supervisor admin viewer", ["GET /stats"]],
  ["task.create_defect", "executor lead supervisor system", [`POST ${tasks}/report-defect`, defect]],
  ["task.self_assign", "executor", act("self_assign"), ["POST /claims", {}]],
  ["task.start", "executor", act("start")],
  ["task.submit", "executor", act("submit")],
  ["task.review_approve", "executor lead supervisor", act("review_approve")],
  ["task.assign", "lead supervisor", act("assign", { assign_to: "bob" })],
  ["task.review_reject", "lead supervisor", act("review_reject", reason)],
  ["task.recall_to_pool", "lead supervisor", act("recall_to_pool", reason)],
  ["task.cancel", "lead supervisor", act("cancel", reason)],
  ["task.unblock", "lead supervisor system", act("unblock")],
  ["task.shift_release", "system", act("shift_release")],
  ["task.flag", "", act("flag", reason)],
  [
    "task.escalate",
    "executor lead supervisor",
    act("escalate", reason),
    [`POST ${tasks}/escalations`, reason],
  ],
  ["task.create", "lead supervisor system", ["POST /tasks", { title: "A task" }]],
  ["task.update", "lead supervisor system", [`PATCH ${tasks}`, { title: "x", expected_row_version: 1 }]],
  ["task.delete", "lead supervisor", [`DELETE ${tasks}`]],
  ["task.fix", "lead supervisor", [`POST ${tasks}/fix`, { defect }]],
  ["hold.place", "lead supervisor system", [`POST ${tasks}/holds`, { kind: "qc", reason: "x" }]],
  ["hold.release", "lead supervisor system", [`DELETE ${tasks}/holds/${NOWHERE}`]],
  ["escalation.resolve", "lead supervisor", [`POST ${tasks}/escalations/${NOWHERE}/resolve`, { note: "x" }]],
  ["dependency.add", "lead supervisor", [`POST ${tasks}/depends_on`, { blocker_id: NOWHERE }]],
  ["dependency.remove", "lead supervisor", [`DELETE ${tasks}/depends_on/${NOWHERE}`]],
  [
    "shift.read",
    "lead supervisor admin viewer",
    ["GET /shifts"],
    [`GET /shifts/${NOWHERE}`],
    ["GET /shift-patterns"],
    [`GET /shift-patterns/${NOWHERE}`],
  ],
  ["shift.read_own", "executor lead supervisor", ["GET /my-shifts"]],
  [
    "shift.write",
    "lead supervisor",
    ["POST /shifts", { ...hours, members: ["bob"] }],
    [`POST /shifts/${NOWHERE}/end`, {}],
    [`PATCH /shifts/${NOWHERE}`, { members: ["bob"] }],
    [`POST /shifts/${NOWHERE}/extend`, { ends_at: hours.ends_at }],
    [`POST /shifts/${NOWHERE}/cancel`, { reason: "x" }],
    ["POST /shifts/copy", { from: "2030-01-07", to: "2030-01-14", time_zone: "UTC" }],
    ["POST /shift-patterns", pattern],
    [`PATCH /shift-patterns/${NOWHERE}`, { name: "Late" }],
    [`POST /shift-patterns/${NOWHERE}/end`, {}],
  ],
  [
    "template.read",
    "executor lead supervisor system admin viewer",
    ["GET /templates"],
    [`GET /templates/${NOWHERE}`],
  ],
  [
    "template.write",
    "lead supervisor",
    [
      "POST /templates",
      { name: "Frame", type: "frame", tasks: [{ ref: "cut", title: "Cut", depends_on: ["none"] }] },
    ],
    [`DELETE /templates/${NOWHERE}`],
    [`POST /templates/${NOWHERE}/instances`, { serial: "1" }],
  ],
  ["contributor.add", "executor lead supervisor", [`POST ${tasks}/contributors`, { member_id: "eve" }]],
  ["contributor.remove", "executor lead supervisor", [`DELETE ${tasks}/contributors/eve`]],
  [
    "deliverable.read",
    "executor lead supervisor system admin viewer",
    ["GET /deliverables"],
    [`GET /deliverables/${NOWHERE}`],
  ],
  [
    "deliverable.write",
    "lead supervisor",
    ["POST /deliverables", { type: "frame", serial: "1" }],
    [`POST /deliverables/${NOWHERE}/submit`, {}],
  ],
  [
    "inspection.read",
    "executor lead supervisor system admin viewer",
    [`GET /deliverables/${NOWHERE}/inspections`],
  ],
  [
    "inspection.write",
    "lead supervisor",
    [`POST /deliverables/${NOWHERE}/inspections`, { result: "approved" }],
  ],
  ["policy.read", "executor lead supervisor system admin viewer", ["GET /projects/main/policy"]],
  ["policy.write", "supervisor admin", ["PATCH /projects/main/policy", { min_skill_to_take: 3 }]],
];

describe.each(TABLE)("%s", (permission, holders, ...asks) => {
  test.each(Object.entries(ROLES))("%s", async (role, who) => {
    for (const [what, body] of asks) {
      const { status, body: answer } = await server.send(who, what, body, { "if-match": '"1"' });
      if (holders.split(" ").includes(role)) expect(answer.permission, what).toBeUndefined();
      else expect([status, answer.code, answer.permission], what).toEqual([403, "FORBIDDEN", permission]);
      if (status === 403) expect(answer.detail).toContain(permission);
    }
  });
});

test("the table above matches the code, and every permission is used by a route", () => {
  const expected = Object.fromEntries(
    TABLE.map(([permission, holders]) => [permission, holders.split(" ").filter(Boolean).sort()]),
  );
  const actual = Object.entries<readonly string[]>(plannerPermissions).map(([name, roles]) => [
    name,
    [...roles].sort(),
  ]);
  expect(Object.fromEntries(actual)).toEqual(expected);
  const opened = new Set<unknown>(Object.values<Route>(PLANNER_ROUTES).map(({ permission }) => permission));
  const byRoute = TABLE.map(([permission]) => permission).filter(
    (permission) => !permission.startsWith("task."),
  );
  expect(byRoute.filter((permission) => !opened.has(permission))).toEqual([]);
});

test("`pawl planner roles` prints the table as text and as JSON", async () => {
  const print = async (...args: string[]) => {
    let text = "";
    const screen = {
      write: (more: string) => void (text += more),
      colours: picocolors.createColors(false),
      columns: 200,
      rows: 50,
    };
    const program = new Command().exitOverride();
    let code: number | null = null;
    addPlannerCommands(program, { out: screen } as never, (given) => (code = given));
    await program.parseAsync(["planner", "roles", ...args], { from: "user" });
    expect(code).toBe(0);
    return text;
  };
  const lines = (await print()).trimEnd().split("\n");
  expect(lines[0]).toMatch(/^permission +executor +lead +supervisor +system +admin +viewer$/);
  expect(lines).toHaveLength(TABLE.filter(([, holders]) => holders !== "").length + 1);
  expect(lines.find((line) => line.startsWith("task.review_approve"))).toMatch(
    /owner with self_check_min_skill +yes +yes$/,
  );
  const table = JSON.parse(await print("--json")) as Record<string, Record<string, { allowed: boolean }>>;
  for (const [permission, holders] of TABLE)
    for (const role of Object.keys(ROLES))
      expect(table[permission]?.[role]?.allowed ?? false).toBe(holders.split(" ").includes(role));
});
