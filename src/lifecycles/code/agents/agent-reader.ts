import { newAgentState, reportedUsage } from "./preset.ts";
import type { AgentPreset, AgentState, AgentUsage } from "./preset.ts";

/** The id becomes a word of the next command, and agents print anything: no other text may pass as an id. */
const SESSION_ID = /^\w[\w-]{0,199}$/;

/** Longer lines contain whole files, and no usage. */
const MAX_LINE_LENGTH = 4_000_000;

/** Reads session, model, usage and tool calls from an agent's output, as it arrives. */
export class AgentReader {
  private readonly preset: AgentPreset | null;
  private readonly before: AgentUsage | null;
  private state: AgentState = newAgentState();
  private unfinishedLine = "";

  /** `before`: what the continued session has reported in its earlier runs. */
  constructor(preset: AgentPreset | null, before: AgentUsage | null = null) {
    this.preset = preset;
    this.before = before;
  }

  append(text: string): void {
    const lines = (this.unfinishedLine + text).split(/\r?\n/);
    const rest = lines.pop() ?? "";
    this.unfinishedLine = rest.length > MAX_LINE_LENGTH ? "" : rest;
    for (const line of lines) this.readLine(line.trim());
  }

  get began(): boolean {
    return this.state.began;
  }

  get session(): string | null {
    const { session } = this.state;
    return session !== null && SESSION_ID.test(session) ? session : null;
  }

  get model(): string | null {
    return this.state.model;
  }

  get tool(): string | null {
    return this.state.tool;
  }

  /** The usage as the agent reported it, which may be that of the whole session. */
  get reported(): AgentUsage | null {
    return reportedUsage(this.state);
  }

  /** The usage of this run. */
  get usage(): AgentUsage | null {
    const { reported, before, preset } = this;
    if (reported === null || before === null) return reported;
    if (preset?.cumulative === "cost" && reported.cost_usd !== null)
      return { ...reported, cost_usd: Math.max(0, reported.cost_usd - (before.cost_usd ?? 0)) };
    if (preset?.cumulative !== "tokens") return reported;
    const less = (name: "input_tokens" | "cached_tokens" | "output_tokens") =>
      Math.max(0, reported[name] - before[name]);
    return {
      ...reported,
      input_tokens: less("input_tokens"),
      cached_tokens: less("cached_tokens"),
      output_tokens: less("output_tokens"),
    };
  }

  private readLine(line: string): void {
    const change = line.startsWith("{") ? this.readMessage(line) : this.preset?.readText?.(line, this.state);
    if (change) this.state = { ...this.state, ...change };
  }

  private readMessage(line: string): Partial<AgentState> | undefined {
    try {
      return this.preset?.readMessage?.(JSON.parse(line) as Record<string, unknown>, this.state);
    } catch {
      // A line of another program, or one that was cut.
      return undefined;
    }
  }
}
