import { expect, test } from "vitest";
import { startServer } from "../../src/cli/start-server.ts";
import type { Started, Surroundings } from "../../src/cli/surroundings.ts";

const STARTED: Started = {
  address: "http://127.0.0.1:4747",
  adminToken: { place: ".pawl/admin-token", made: true },
  demo: "absent",
  empty: true,
  command: "`pawl start --demo`",
};

type Row = [what: string, started: Partial<Started>, line: string | undefined];

const TABLE: Row[] = [
  [
    "an empty database invites to the demo",
    {},
    "Nothing is here yet: `pawl start --demo` shows Pawl at work",
  ],
  ["one with tasks in it says nothing of it", { empty: false }, undefined],
  ["a demo at work says how to see it", { demo: "running" }, "The demo is at work"],
  [
    "one that rests says how to go on",
    { demo: "stopped", empty: false },
    "The demo rests: `pawl start --demo`",
  ],
];

test.each(TABLE)("%s", async (_, started, line) => {
  let said = "";
  const surroundings = {
    out: { write: (text: string) => (said += text), keepGoing: () => undefined },
    serve: (__: object, tell: (told: Started) => void) => {
      tell({ ...STARTED, ...started });
      return Promise.resolve();
    },
  };
  await startServer(surroundings as unknown as Surroundings, {});
  const [first, second, ...rest] = said.trimEnd().split("\n");
  expect(first).toContain("Pawl listens on http://127.0.0.1:4747");
  if (line === undefined) expect(second).toBeUndefined();
  else expect(second).toContain(line);
  expect(rest).toEqual([]);
});
