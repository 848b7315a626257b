import { AgentReader, agentName, outputPreset } from "../agents/index.ts";
import type { AgentUsage } from "../agents/index.ts";

/** A report of an attempt's usage; later ones replace it. */
export type UsageReport = AgentUsage & {
  run: number;
  agent: string;
  model: string | null;
  session: string | null;
  reported: AgentUsage;
};

/** A killed worker loses the usage since the last report. */
const REPORT_INTERVAL_MS = 60_000;
/** The server refuses reports over these, and then nothing of the attempt would be counted. */
const MAX_TOKENS = 1e15;
const MAX_USD = 1e9;
const NO_USAGE: AgentUsage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_usd: null };

/** Follows the output of an attempt's agent, and reports its session and usage to the server. */
export class UsageRecorder {
  private readonly run: number;
  private readonly send: (report: UsageReport) => Promise<void>;
  private agent = "";
  private reader = new AgentReader(null);
  private sent = "";
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(run: number, send: UsageRecorder["send"]) {
    this.run = run;
    this.send = send;
  }

  /** Starts with the output of a new run of the agent. `before`: what its continued session has reported earlier. */
  begin(agent: string, before: AgentUsage | null): void {
    this.agent = agentName(agent);
    this.reader = new AgentReader(outputPreset(agent), before);
    this.timer ??= setInterval(() => void this.report().catch(() => undefined), REPORT_INTERVAL_MS).unref();
  }

  append(text: string): void {
    this.reader.append(text);
  }

  /** The agent's last tool call. */
  get tool(): string | null {
    return this.reader.tool;
  }

  /** The cost of this run so far, without that of earlier runs of its session; null: the agent has reported none. */
  get costUsd(): number | null {
    return this.reader.usage?.cost_usd ?? null;
  }

  /** Whether the agent has started its session. */
  get began(): boolean {
    return this.reader.began;
  }

  /** Reports the usage of the run if it has changed. */
  async report(): Promise<void> {
    const { session, usage, model, reported } = this.reader;
    if (session === null && usage === null) return;
    const report = {
      ...withinLimits(usage ?? NO_USAGE),
      ...{ run: this.run, agent: this.agent, model: nameOf(model), session },
      reported: withinLimits(reported ?? NO_USAGE),
    };
    const text = JSON.stringify(report);
    if (text === this.sent) return;
    this.sent = text;
    await this.send(report);
  }

  /** Stops the timer and sends the last report. The attempt goes on if that is refused. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.report().catch(() => undefined);
  }
}

function withinLimits({ input_tokens, cached_tokens, output_tokens, cost_usd }: AgentUsage): AgentUsage {
  const tokens = (amount: number) => Math.min(MAX_TOKENS, Math.round(amount));
  return {
    input_tokens: tokens(input_tokens),
    cached_tokens: tokens(cached_tokens),
    output_tokens: tokens(output_tokens),
    cost_usd: cost_usd === null ? null : Math.min(MAX_USD, roundedCost(cost_usd)),
  };
}

/** Differences of sums have a tail of digits, such as 0.00028000000000000003. */
function roundedCost(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

/** Names are printed by programs, so they can be anything. */
function nameOf(model: string | null): string | null {
  // The cut may leave half of a surrogate pair.
  const name = (model ?? "").slice(0, 200).replaceAll(/[\p{Cc}\p{Cs}]/gu, "");
  return name.trim() || null;
}
