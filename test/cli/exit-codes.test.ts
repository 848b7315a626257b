import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";
import { folderWith } from "./pawl-process.ts";

const at = await openCliAtServer();
const task = await at.task("A task to act on");
const NO_TASK = "019f0000-0000-7000-8000-000000000000";
/** A folder without a configuration, a repository or a server of its own. */
const cwd = dirname(at.data);

/** A valid line of every command that calls a server. */
const AT_SERVER = [
  "tasks list",
  `tasks show ${task}`,
  "tasks create board title=Something description=new",
  `tasks act ${task} comment`,
  `why ${task}`,
  `tasks why ${task}`,
  "watch --count 1",
  "tasks watch --count 1",
  "lifecycles",
  "lifecycles board",
  "members list",
  "members add ann",
  "members change admin --name Ann",
  "tokens list",
  "tokens create admin",
  `tokens revoke ${NO_TASK}`,
  "projects list",
  "projects add web",
  "setup claude",
  "code add Title",
  "code list",
  `code show ${task}`,
  `code log ${task}`,
  `code retry ${task}`,
  "code graph",
  "planner attention",
  "planner shifts list",
  "planner shifts plan --from 2030-01-01T06:00 --to 2030-01-01T14:00 --members ann",
  `planner shifts edit ${NO_TASK} --members ann`,
  `planner shifts extend ${NO_TASK} --to 2030-01-01T14:00`,
  `planner shifts cancel ${NO_TASK} --reason x`,
  `planner shifts end ${NO_TASK}`,
  "planner shifts copy",
  "planner shifts patterns",
  "planner shifts repeat Early --starts 06:00 --ends 14:00 --days mon --members ann",
  `planner shifts stop-repeating ${NO_TASK}`,
  `planner dependents ${task}`,
  "planner stats",
  "delivery status",
  "delivery users",
  "delivery approve 1",
  "delivery extend 1",
  "delivery block 1",
];

/** The other commands. */
const LOCAL = [
  "init",
  "check",
  "diagram board",
  "start",
  "verify",
  "doctor",
  "orgs create acme",
  "tokens reset-admin",
  "mcp",
  "completion bash",
  "planner roles",
  "code run",
  "code worktrees",
  "code catch-up",
  "delivery bot",
  "delivery worker",
];

/** The same mistake has the same exit code in every command; a row is a command line with this mistake. */
const MISTAKES: [mistake: string, code: number, lines: readonly string[]][] = [
  ["an unknown option", 2, [...AT_SERVER, ...LOCAL].map((line) => `${line} --nosuch`)],
  [
    "a missing argument",
    2,
    [
      "tasks show",
      "tasks create",
      "tasks act",
      `tasks act ${task}`,
      "why",
      "members add",
      "members change",
      "tokens create",
      "tokens revoke",
      "projects add",
      "setup",
      "code show",
      "code log",
      "code retry",
      "delivery approve",
      "delivery extend",
      "delivery block",
      "diagram",
      "orgs create",
      "completion",
      "tasks list --limit",
    ],
  ],
  ["an unknown command", 2, ["nosuch", "tasks nosuch", "code nosuch", "delivery nosuch"]],
  [
    "an invalid value",
    2,
    [
      "tasks list --limit many",
      "tasks list --limit 0",
      "tasks create board title=x description=y",
      "tasks create board title=Something description=new priority=nosuch",
      "tasks create board title=Something description=new --available-at soon",
      "tasks create board",
      `tasks act ${task} comment --expect x`,
      "tasks show nosuch",
      "why nosuch",
      "watch --after x",
      "watch --count 0",
      "members add ann --kind robot",
      "members add ann --skill-level 11",
      "projects add web --settings {",
      'projects add web --settings {"bord":{}}',
      "tokens revoke nosuch",
      "setup nosuch",
      "code show nosuch",
      "code add Title --priority high",
      "code add Title --max-attempts 0",
      "code add Title --max-attempts 100000",
      "code run --timeout soon",
      "delivery approve 1 --days 0",
      "delivery approve 1 --days 99999999",
      "start --port x",
      "check --config nowhere.ts",
      "completion cmd",
      "tasks list --url nosuch",
    ],
  ],
  [
    "an unknown lifecycle",
    2,
    [
      "tasks list --lifecycle bord",
      "tasks create bord title=Something",
      "lifecycles bord",
      "watch --lifecycle bord --count 1",
      "check bord",
      "diagram bord",
    ],
  ],
  [
    "an unknown status",
    2,
    [
      "tasks list --status nosuch",
      "tasks list --lifecycle board --status DON",
      "tasks list --lifecycle board --status ready",
      "tasks list --status NEW,nosuch",
      "code list --status nosuch",
      "delivery users --status nosuch",
    ],
  ],
  ["an unknown action", 2, [`tasks act ${task} nosuch`, `why ${task} nosuch`]],
  ["an unknown field", 2, ["tasks create board titel=Something", `tasks act ${task} comment nosuch=1`]],
  [
    "an unknown id of a task",
    3,
    [
      `tasks show ${NO_TASK}`,
      `tasks act ${NO_TASK} comment`,
      `why ${NO_TASK}`,
      "tasks show ffffff",
      `code show ${NO_TASK}`,
      `code log ${NO_TASK}`,
      `code retry ${NO_TASK}`,
      `code add Title --after ${NO_TASK}`,
    ],
  ],
  [
    "an unknown member, token or user",
    3,
    [
      "members change nosuch --name x",
      "tokens create nosuch",
      "tokens list nosuch",
      "tasks list --assignee nosuch",
      `tokens revoke ${NO_TASK}`,
      "delivery approve 999",
      "delivery extend 999",
      "delivery block 999",
    ],
  ],
  [
    "an unknown project",
    3,
    [
      "tasks list --project nosuch",
      "tasks create board title=Something description=new --project nosuch",
      "watch --project nosuch --count 1",
      "code list --project nosuch",
      "code graph --project nosuch",
      "code add Title --project nosuch",
    ],
  ],
  ["something that exists already", 3, ["members add admin", "projects add main"]],
  [
    "a refused action",
    3,
    [`tasks act ${task} complete`, `why ${task} complete`, "members change admin --no-active"],
  ],
];

describe.each(MISTAKES)("%s has the exit code %i", (_, code, lines) => {
  test.concurrent.each(lines)("pawl %s", async (line) => {
    const ran = await at.cli(line, { cwd });
    expect({ line, code: ran.code, stderr: ran.stderr }).toEqual({
      line,
      code,
      // `pawl why` answers a question: its answer is not an error.
      stderr:
        line.startsWith("why") && code === 3 && line.includes(task)
          ? ""
          : (expect.stringMatching(/^pawl: /) as string),
    });
  });
});

test.concurrent.each(AT_SERVER)("pawl %s without a server has the exit code 5", async (line) => {
  const { code, stderr } = await at.cli(line, { cwd, env: { PAWL_URL: "http://127.0.0.1:2" } });
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining("No server answers") as string,
  });
});

test.concurrent.each(AT_SERVER)("pawl %s with a wrong token has the exit code 4", async (line) => {
  const { code, stderr } = await at.cli(line, { cwd, token: "wrong" });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringContaining("does not know the token") as string,
  });
});

test("orgs that do not exist, or exist already, have the exit code 3", async () => {
  const env = { DATABASE_URL: at.databaseUrl, PAWL_DATA: at.data };
  for (const line of ["verify --org nosuch", "tokens reset-admin --org nosuch", "orgs create main"])
    expect([line, (await at.cli(line, { cwd, env })).code]).toEqual([line, 3]);
});

test("a file that exists already has the exit code 3, and a missing stored token has 4", async () => {
  const folder = await folderWith({ "pawl.config.ts": "export default {};" });
  expect((await at.cli("init", { cwd: folder })).code).toBe(3);
  expect((await at.cli(["mcp", "--as", "nosuch", "--data", at.data])).code).toBe(4);
});
