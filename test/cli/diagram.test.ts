import { expect, test } from "vitest";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { configWith, folderWith, pawl } from "./pawl-process.ts";

test("diagram prints Mermaid by default", async () => {
  const { code, stdout } = await pawl(["diagram", "bot-actions"]);
  expect(code).toBe(0);
  expect(stdout).toBe(`stateDiagram-v2
    [*] --> processing: create
    processing --> done: update
    processing --> error: update, time_out
    done --> [*]
    error --> [*]
`);
});

test("diagram --format table prints the rules as a table, with the roles that may perform them", async () => {
  const { code, stdout } = await pawl(["diagram", "delivery", "--format", "table"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^delivery v1: Files from cloud storage into a Telegram chat\n\naction +from +to +who \(roles\) +guards\n/,
  );
  expect(stdout).toMatch(/^claim +QUEUED +CLAIMED +anyone \(worker\) +available now$/m);
  expect(stdout).toMatch(/^expire +QUEUED +EXPIRED +system +due$/m);
});

test("diagram --format markdown prints a page with the diagram and the tables", async () => {
  const { code, stdout } = await pawl(["diagram", "delivery", "-f", "markdown"]);
  expect(code).toBe(0);
  expect(stdout.match(/^#.*/gm)).toEqual([
    "# delivery",
    "## Statuses",
    "## Rules",
    "## Permissions",
    "## Invariants",
  ]);
  expect(stdout).toContain("```mermaid\nstateDiagram-v2\n");
  expect(stdout).toContain("\n| claim | QUEUED → CLAIMED | ");
});

test.each(LIFECYCLES.map(({ name }) => name))(
  "diagram --json prints the complete definition of %s",
  async (name) => {
    const { code, stdout } = await pawl(["diagram", name, "--json"]);
    expect(code).toBe(0);
    const description = JSON.parse(stdout) as Record<string, unknown[]>;
    const action = {
      name: expect.any(String) as string,
      permission: expect.any(String) as string,
      roles: expect.anything() as unknown,
      input: expect.objectContaining({ type: "object" }) as unknown,
      comment: expect.stringMatching(/required|optional/) as string,
      lease_token: expect.stringMatching(/required|optional/) as string,
    };
    expect(description).toMatchObject({
      name,
      version: 1,
      creation: {
        permission: expect.any(String) as string,
        input: { type: "object" },
        to: expect.any(Array) as unknown[],
      },
      settings: { schema: { type: "object" } },
    });
    for (const one of description.actions ?? []) expect(one).toMatchObject(action);
    for (const one of description.rules ?? []) {
      expect(Object.keys(one as object)).toEqual([
        "action",
        "from",
        "to",
        "outcome",
        "who",
        "guards",
        "effects",
      ]);
    }
  },
);

test("the JSON of the board contains required fields, timers, settings and the pool", async () => {
  const { stdout } = await pawl(["diagram", "board", "--json"]);
  const description = JSON.parse(stdout) as { statuses: unknown[]; actions: unknown[]; who: unknown[] };
  expect(description).toMatchObject({
    settings: { defaults: { status_deadlines: { NEW: 120, IN_PROGRESS: 1440, BLOCKED: 2880 } } },
    pool: { action: "claim", from: "NEW" },
    lease: null,
  });
  expect(description.statuses[0]).toEqual({
    name: "NEW",
    meaning: "created, waits for someone",
    final: false,
    success: false,
    lease: false,
    timers: [
      {
        action: "expire",
        since: "entered_at",
        after: { minutes: "status_deadlines.NEW" },
        waits_for_blockers: "new_deadline_waits_for_blockers",
      },
    ],
  });
  expect(description.actions[1]).toMatchObject({
    name: "claim",
    event: "claimed",
    comment: "required",
    facts: ["blockers"],
  });
  expect(description.who).toContainEqual({ name: "rescuer", label: "anyone but the assignee" });
});

test("--config selects the file of a user's lifecycle", async () => {
  const folder = await folderWith({ "mine.ts": configWith() });
  const { code, stdout } = await pawl(["diagram", "letters", "--config", `${folder}/mine.ts`]);
  expect(code).toBe(0);
  expect(stdout).toContain("    waiting --> read: read\n");
});
