import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
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

/** Types a line, a Tab and Enter into a new interactive zsh, so the Tab is the first one of the shell. */
const ZSH_AT_A_TERMINAL = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source $FOLDER/setup.zsh"
zpty -w -n shell "$LINE"$'\t\n'
while zpty -r shell printed; do :; done`;

const ZSH_SETUP = {
  autoloaded: "fpath=($FOLDER $fpath)\nautoload -Uz compinit\ncompinit -u -D",
  sourced: "autoload -Uz compinit\ncompinit -u -D\nsource $FOLDER/_pawl",
};

/** Runs instead of pawl, and ends the shell. */
const RECORDER = 'pawl() { print -r -- "$@" > $FOLDER/ran; exit }';

const TYPED: [line: string, completed: string][] = [
  ["pawl tas", "tasks"],
  ["pawl tasks l", "tasks list"],
  ["pawl tasks list --st", "tasks list --status"],
  ["pawl diagram board --format mer", "diagram board --format mermaid"],
  ["pawl tokens rev", "tokens revoke"],
];

describe.skipIf(!has("zsh"))("zsh, with the completion", () => {
  test.each(TYPED.flatMap((typed) => [["autoloaded", ...typed] as const, ["sourced", ...typed] as const]))(
    "%s, completes %j to %j at the first Tab",
    async (loaded, line, completed) => {
      const { stdout } = await pawl(["completion", "zsh"]);
      const setup = `${ZSH_SETUP[loaded]}\n${RECORDER}\n`;
      const folder = await folderWith({ _pawl: stdout, "setup.zsh": setup });
      const env = { PATH: process.env.PATH, FOLDER: folder, LINE: line };
      await execute("zsh", ["-c", ZSH_AT_A_TERMINAL], { env });
      expect((await readFile(join(folder, "ran"), "utf8")).trim()).toBe(completed);
    },
  );
});

test.skipIf(!has("fish")).each(LINES)("fish completes %j to %s", async (line, offered) => {
  const { stdout } = await pawl(["completion", "fish"]);
  const folder = await folderWith({ "pawl.fish": stdout });
  const script = `source ${folder}/pawl.fish; complete -C '${line}'`;
  const shown = (await execute("fish", ["--no-config", "-c", script])).stdout.trim().split("\n");
  expect(
    shown
      .map((one) => one.split("\t")[0])
      .sort()
      .join(" "),
  ).toBe(offered.split(" ").sort().join(" "));
});

for (const shell of ["zsh", "fish", "bash"])
  if (!has(shell))
    console.warn(`skipped: the completion for ${shell} is not tried, because it is not installed`);

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
