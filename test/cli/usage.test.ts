import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import picocolors from "picocolors";
import { expect, onTestFinished, test } from "vitest";
import type { CliEnvironment } from "../../src/cli/cli-environment.ts";
import { printError } from "../../src/cli/print-error.ts";
import { pawl } from "./pawl-process.ts";
import { ROOT } from "../support/built-pawl.ts";

const { createColors } = picocolors;

const USAGE: [string[], string][] = [
  [["chekc"], 'unknown command "chekc"; did you mean "check"?'],
  [["fly"], 'unknown command "fly".'],
  [["check", "--jsno"], 'unknown option "--jsno"; did you mean "--json"?'],
  [["--loud"], 'unknown option "--loud".'],
  [["diagram"], 'missing required argument "lifecycle".'],
  [["check", "board", "planner"], 'too many arguments for "check". Expected 1 argument but got 2.'],
  [
    ["diagram", "board", "--format", "png"],
    'option "-f, --format <format>" argument "png" is invalid. Allowed choices are mermaid, table, markdown.',
  ],
  [
    ["diagram", "board", "--json", "--format", "table"],
    'option "--json" cannot be used with option "-f, --format <format>".',
  ],
  [["check", "boad"], 'There is no lifecycle "boad"; did you mean "board"?'],
  [["diagram", "plannr"], 'There is no lifecycle "plannr"; did you mean "planner"?'],
  [
    ["check", "toString"],
    'There is no lifecycle "toString"; there are board, planner, delivery, code, bot-actions.',
  ],
];

test.each(USAGE)("pawl %j is wrong usage: %s", async (args, sentence) => {
  const { code, stdout, stderr } = await pawl(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^pawl: .+\n {2}(See|List the existing ones with) `pawl( \w+)?( --help)?`.*\.\n$/);
  expect(stderr.slice("pawl: ".length)).toContain(sentence);
});

test("with --json, an unknown lifecycle is printed as a problem document", async () => {
  const { code, stderr } = await pawl(["check", "boad", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({
    code: "UNKNOWN_LIFECYCLE",
    known: expect.arrayContaining(["board"]) as string[],
  });
});

test.each([[[]], [["--help"]], [["help"]]])(
  "pawl %j prints the help with examples and exit codes",
  async (args) => {
    const { code, stdout, stderr } = await pawl(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: pawl /);
    for (const part of [
      "check [options] [lifecycle]",
      "diagram [options] <lifecycle>",
      "Examples:",
      "Exit codes:",
    ]) {
      expect(stdout).toContain(part);
    }
  },
);

test.each(["check", "diagram", "start"])("pawl %s --help has examples", async (command) => {
  const { code, stdout } = await pawl([command, "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`\nExamples:\n  pawl ${command}`);
});

test("pawl --version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as { version: string };
  expect(await pawl(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("colours are used if forced, and never with NO_COLOR or in a pipe, even on a CI machine", async () => {
  const coloured = (env: Record<string, string>) => pawl(["check", "board"], { env });
  const [forced, refused, ci] = await Promise.all([
    coloured({ FORCE_COLOR: "1" }),
    coloured({ FORCE_COLOR: "1", NO_COLOR: "1" }),
    coloured({ CI: "true" }),
  ]);
  expect(forced.stdout).toContain("\u001b[32m✓\u001b[39m \u001b[1mboard\u001b[22m v1");
  expect(refused.stdout).not.toContain("\u001b[");
  expect(ci.stdout).not.toContain("\u001b[");
});

test("a reader that closes the pipe is not an error, and the exit code still shows the result", async () => {
  const args = ["diagram", "planner", "--json"];
  expect(await pawl(args, { closeStdout: true })).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.runIf(existsSync("/dev/full"))(
  "output that a full disk refuses is reported in one sentence",
  async () => {
    const full = openSync("/dev/full", "w");
    onTestFinished(() => {
      closeSync(full);
    });
    for (const args of [["check", "board"], ["diagram", "board", "--json"], ["--help"]]) {
      expect(await pawl(args, { stdout: full })).toEqual({
        code: 1,
        stdout: "",
        stderr: "pawl: the output cannot be written (ENOSPC: no space left on device, write).\n",
      });
    }
  },
);

test("an unexpected error is reported as a bug in Pawl, with its stack only on request", () => {
  const printed = (debug: boolean) => {
    const lines: string[] = [];
    const err = {
      write: (text: string) => lines.push(text),
      colours: createColors(false),
      columns: Infinity,
    };
    const environment = { err, debug } as unknown as CliEnvironment;
    expect(printError(new TypeError("x is not iterable"), environment, { json: false })).toBe(1);
    return lines.join("");
  };
  expect(printed(false)).toBe(
    "pawl: this is a bug in Pawl; please report it with the output of PAWL_DEBUG=1: TypeError: x is not iterable\n",
  );
  expect(printed(true)).toMatch(/^\s+at /m);
});
