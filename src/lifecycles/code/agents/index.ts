import { basename } from "node:path";
import { wordsOf } from "../worker/agent-command.ts";
import { aider } from "./aider.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import type { AgentPreset, CommandChoice } from "./preset.ts";

export { AgentReader } from "./agent-reader.ts";
export type { AgentPreset, AgentUsage } from "./preset.ts";

/** The agents that `--agent <name>` selects. */
export const PRESETS: readonly AgentPreset[] = [claude, codex, gemini, opencode, aider];

export const DEFAULT_PRESET = claude;

/** Finds the preset with this name; null for a command. */
export function findPreset(agent: string): AgentPreset | null {
  return PRESETS.find(({ name }) => name === agent.trim()) ?? null;
}

/** Finds the preset that reads the output of a command, by the name of its program. */
export function outputPreset(agent: string): AgentPreset | null {
  const [program = ""] = wordsOf(agent);
  return findPreset(agent) ?? PRESETS.find((preset) => preset.program === basename(program)) ?? null;
}

/** Returns the name under which usage is recorded: that of the preset, or the program of a command. */
export function agentName(agent: string): string {
  return outputPreset(agent)?.name ?? basename(wordsOf(agent)[0] ?? "");
}

/** Returns the command of an agent, with placeholders. */
export function commandOf(agent: string, choice: CommandChoice): string {
  return findPreset(agent)?.command(choice) ?? agent;
}
