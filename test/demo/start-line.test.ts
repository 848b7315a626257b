import { expect, test } from "vitest";
import { startServer } from "../../src/cli/start-server.ts";
import type { Started, CliEnvironment } from "../../src/cli/cli-environment.ts";

const STARTED: Started = {
  address: "http://127.0.0.1:4747",
  adminToken: { location: ".pawl/admin-token", created: true },
  demo: "absent",
  empty: true,
  loginLink: null,
  command: "`pawl start --demo`",
};

type Row = [what: string, started: Partial<Started>, line: string | undefined];

const TABLE: Row[] = [
  ["an empty database: the line offers the demo", {}, "No tasks yet: `pawl start --demo` adds a demo"],
  ["a database with tasks: no line", { empty: false }, undefined],
  [
    "a link to sign in: the line shows it",
    { empty: false, loginLink: "http://127.0.0.1:4747/sign-in#pawllink_main_0" },
    "Sign in within 10 minutes: http://127.0.0.1:4747/sign-in#pawllink_main_0",
  ],
  ["a running demo: the line shows how to open it", { demo: "running" }, "The demo is running"],
  [
    "a stopped demo: the line shows how to continue it",
    { demo: "stopped", empty: false },
    "The demo is stopped: `pawl start --demo` resumes it",
  ],
];

test.each(TABLE)("%s", async (_, started, line) => {
  let output = "";
  const surroundings = {
    out: { write: (text: string) => (output += text), ignoreWriteErrors: () => undefined },
    serve: (__: object, onStarted: (started: Started) => void) => {
      onStarted({ ...STARTED, ...started });
      return Promise.resolve();
    },
  };
  await startServer(surroundings as unknown as CliEnvironment, {});
  const [first, second, ...rest] = output.trimEnd().split("\n");
  expect(first).toContain("Pawl listens on http://127.0.0.1:4747");
  if (line === undefined) expect(second).toBeUndefined();
  else expect(second).toContain(line);
  expect(rest).toEqual([]);
});
