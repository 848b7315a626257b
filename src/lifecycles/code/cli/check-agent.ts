import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CliError, EXIT } from "../../../plugin/index.ts";
import { findPreset, PRESETS } from "../agents/index.ts";
import type { AgentPreset } from "../agents/index.ts";
import { wordsOf } from "../worker/agent-command.ts";
import { asUsageFault } from "./worktrees.ts";

/** Refuses to start without the agent's programs: every attempt of every task would fail. */
export function checkAgent({
  agent,
  allowEverything = false,
}: {
  agent: string;
  allowEverything?: boolean;
}): void {
  const preset = findPreset(agent);
  if (preset === null && allowEverything)
    throw new CliError(EXIT.usage, "--allow-everything applies to agents by name.", {
      hints: ["Write the permissions into your own command, and leave out --allow-everything."],
      document: { code: "INVALID_AGENT" },
    });
  const program = preset?.program ?? programOf(agent);
  if (!isInstalled(program)) throw notInstalled(program, preset ? installHints(preset) : commandHints());
  const { programs = [], hint = "" } = preset?.requires?.({ allowEverything }) ?? {};
  const missing = programs.find((one) => !isInstalled(one));
  if (missing !== undefined) throw notInstalled(missing, [hint]);
}

export function isInstalled(program: string): boolean {
  const folders = program.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter);
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  return folders.some((folder) => endings.some((ending) => existsSync(join(folder, program) + ending)));
}

function notInstalled(program: string, hints: string[]): CliError {
  return new CliError(EXIT.usage, `"${program}" is not installed.`, {
    hints,
    document: { code: "NO_AGENT", program },
  });
}

function installHints({ install, name }: AgentPreset): string[] {
  const others = PRESETS.filter((one) => one.name !== name && isInstalled(one.program));
  return [
    `Install it: ${install}`,
    others.length === 0
      ? `Or name another agent: --agent ${PRESETS.map((one) => one.name).join(" | ")} | "<command>".`
      : `Or use one that is installed: --agent ${others.map((one) => one.name).join(" | ")}.`,
  ];
}

function commandHints(): string[] {
  return [`Install it, or name another agent: --agent ${PRESETS.map(({ name }) => name).join(" | ")}.`];
}

function programOf(agent: string): string {
  try {
    return wordsOf(agent)[0] ?? "";
  } catch (error) {
    throw asUsageFault(error, "INVALID_AGENT");
  }
}
