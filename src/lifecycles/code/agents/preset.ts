/** Tokens and cost of a run. */
export type AgentUsage = {
  /** All tokens sent to the model, with those read from its cache. */
  input_tokens: number;
  /** The part of `input_tokens` that was read from the cache. */
  cached_tokens: number;
  output_tokens: number;
  /** In US dollars; null: the agent does not report it. */
  cost_usd: number | null;
};

/** State read from an agent's output so far. */
export type AgentState = {
  /** Whether the agent has started its session. A session that cannot be continued never starts. */
  began: boolean;
  session: string | null;
  model: string | null;
  /** The last tool call, for people. */
  tool: string | null;
  /** Usage of each message, until the agent reports the total. */
  turns: Readonly<Record<string, AgentUsage>>;
  total: AgentUsage | null;
};

/** A JSON document from one line of an agent's output. */
export type AgentMessage = Readonly<Record<string, unknown>>;

export type CommandChoice = {
  /** Without sandbox and permission checks. */
  allowEverything: boolean;
  /** The session to continue; null: a new one. */
  session: string | null;
};

type EnvironmentValues = { mcp_url: string; token: string; allowEverything: boolean };

/** Describes how Pawl runs a coding agent and reads its output. */
export type AgentPreset = {
  name: string;
  /** Its name for people. */
  title: string;
  program: string;
  /** Command that installs the program. */
  install: string;
  /** The version that the tests run; null: untested. */
  tested: string | null;
  /** Programs that it needs besides its own, with the reason. */
  requires?: (choice: { allowEverything: boolean }) => { programs: readonly string[]; hint: string };
  /** The command with placeholders, as for `--agent`. */
  command: (choice: CommandChoice) => string;
  /** Environment variables, and files whose paths become environment variables. */
  environment?: (values: EnvironmentValues) => {
    variables?: Readonly<Record<string, string>>;
    files?: Readonly<Record<string, string>>;
  };
  /** Reads one line of JSON; returns the changes of the state. */
  readMessage?: (message: AgentMessage, state: AgentState) => Partial<AgentState>;
  /** Reads one line of other text. */
  readText?: (line: string, state: AgentState) => Partial<AgentState>;
  /** The fields that a continued session reports for the whole session instead of the run. */
  cumulative?: "cost" | "tokens";
};

export function newAgentState(): AgentState {
  return { began: false, session: null, model: null, tool: null, turns: {}, total: null };
}

/** Returns the usage that the agent reported; null if it reported none. */
export function reportedUsage({ total, turns }: AgentState): AgentUsage | null {
  const parts = Object.values(turns);
  if (total !== null || parts.length === 0) return total;
  return parts.reduce(addUsage);
}

function addUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    cached_tokens: one.cached_tokens + other.cached_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd:
      one.cost_usd === null && other.cost_usd === null ? null : (one.cost_usd ?? 0) + (other.cost_usd ?? 0),
  };
}

/** Reads a number of an agent's message; anything else counts as 0. */
export function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function objectOf(value: unknown): AgentMessage {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AgentMessage) : {};
}
