import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { EXIT, EXIT_MEANINGS } from "../../src/cli/exit-code.ts";
import { buildProgram } from "../../src/cli/program.ts";
import type { CliEnvironment } from "../../src/cli/cli-environment.ts";
import { ownColours, toTerminal } from "../../src/cli/terminal-text.ts";
import { folderWith, pawl } from "./pawl-process.ts";
import { ROOT } from "../support/built-pawl.ts";

const execute = promisify(execFile);
const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

test.each(["bash", "zsh", "fish"])("the completion for %s knows every command", async (shell) => {
  const { code, stdout, stderr } = await pawl(["completion", shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const word of ["tasks", "reset-admin", "doctor", "why", "--lifecycle"])
    expect(stdout).toContain(shell === "fish" ? word.replace(/^--/, "-l ") : word);
  if (!has(shell)) return;
  const file = join(await folderWith({}), `pawl.${shell}`);
  await writeFile(file, stdout);
  expect(await execute(shell, ["-n", file])).toEqual({ stdout: "", stderr: "" });
});

const LINES: [line: string, offered: string][] = [
  ["pawl tas", "tasks"],
  ["pawl tasks l", "list"],
  ["pawl tasks list --st", "--status"],
  ["pawl diagram board --format m", "mermaid markdown"],
  ["pawl tokens re", "revoke reset-admin"],
];

test.skipIf(!has("bash")).each(LINES)("bash completes %j to %s", async (line, offered) => {
  const { stdout } = await pawl(["completion", "bash"]);
  const words = line.split(" ");
  const script = `${stdout}
COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _pawl; echo "\${COMPREPLY[@]}"`;
  expect((await execute("bash", ["-c", script])).stdout).toBe(`${offered}\n`);
});

test("another shell is wrong usage", async () => {
  const { code, stderr } = await pawl(["completion", "cmd"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish");
});

test("the exit codes are listed in the help and in the docs", async () => {
  const [{ stdout }, page] = await Promise.all([
    pawl(["--help"]),
    readFile(join(ROOT, "docs/command-line.md"), "utf8"),
  ]);
  for (const [name, code] of Object.entries(EXIT)) {
    const meaning = EXIT_MEANINGS[name as keyof typeof EXIT];
    expect(stdout).toContain(`\n  ${code}  ${meaning}\n`.trimEnd());
    expect(page).toContain(`| ${code} | ${meaning} |`);
  }
});

test("the help has the same layout with and without colours", () => {
  const [coloured, plain] = [true, false].map((colours) => {
    let help = "";
    const screen = {
      write: (text: string) => (help += stripVTControlCharacters(toTerminal(text))),
      colours: ownColours(colours),
      columns: 80,
      rows: 50,
    };
    const environment = { version: "0.0.0", out: screen, err: screen } as unknown as CliEnvironment;
    const program = buildProgram(environment, () => undefined);
    for (const command of [program, ...program.commands]) command.outputHelp();
    return help;
  });
  expect(coloured).toBe(plain);
});

test("the help of every top-level command has examples", () => {
  const printed: string[] = [];
  const screen = {
    write: (text: string) => printed.push(text),
    colours: picocolors.createColors(false),
    columns: 100,
    rows: 50,
  };
  const program = buildProgram(
    { version: "0.0.0", out: screen, err: screen } as unknown as CliEnvironment,
    () => undefined,
  );
  // `mcp` is started by a client, not typed.
  const typed = program.commands.filter((command) => command.name() !== "mcp");
  const withoutExamples = typed.filter((command) => {
    printed.length = 0;
    command.outputHelp();
    return !printed.join("").includes(`\nExamples:\n  `);
  });
  expect(withoutExamples.map((command) => command.name())).toEqual([]);
});

test("a group of commands alone prints its help", async () => {
  const { code, stdout, stderr } = await pawl(["tasks"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("list [options]");
});
