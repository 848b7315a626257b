import { z } from "zod";
import { refuse } from "../../core/index.ts";
import type { Change, Guard, Refusal, StandardFacts, View } from "../../core/index.ts";

/** The hold of a task that has spent its budget. */
export const BUDGET = "budget";

const count = z.number().int().min(0).max(1e15);

/** Tokens and cost, as agents report them. */
export const usageFields = {
  input_tokens: count.describe("with those read from the model's cache"),
  cached_tokens: count,
  output_tokens: count,
  cost_usd: z.number().min(0).max(1e9).nullable().describe("null: the agent reports no cost"),
};
const usage = z.object(usageFields);
export type Usage = z.output<typeof usage>;

const name = z.string().trim().min(1).max(200);
/** The id becomes a word of a command, so it has no other characters. */
const sessionId = z
  .string()
  .max(200)
  .regex(/^\w[\w-]{0,199}$/);

/** An agent's session, with what it has reported so far: a continued session may report its total. */
const session = z.object({ agent: name, id: sessionId, reported: usage });

const limit = z.number().min(0).default(0).describe("0: no limit");

export const usageSettings = {
  continue: z
    .boolean()
    .default(false)
    .describe("after a failed attempt, the next one continues its work and the agent's session"),
  budget_usd_per_task: limit,
  budget_usd_per_day: limit,
  budget_tokens_per_task: limit,
  budget_tokens_per_day: limit,
};

/** Fields of a task; tasks of earlier versions lack them. */
export const usageData = {
  session: session.nullish(),
  /** Why the next attempt continues with the worktree of this one; null: it starts clean. */
  continues: z.enum(["answer", "failure"]).nullish(),
  usage: z
    .object({
      run: z.number(),
      /** Usage of the latest run, which replaces its earlier reports. */
      current: usage,
      earlier: usage,
      /** Usage at the time when a person allowed the task another budget. */
      allowed: usage.optional(),
    })
    .nullish(),
  /** Why the task gets no further attempt, until a person allows it another budget. */
  budget_spent: z.string().nullish(),
};

export const usageFacts = {
  /** Usage of the task's project on the current day, in UTC. */
  spent_today: z.object({ cost_usd: z.number(), tokens: z.number() }),
};

export const usageActions = {
  record_usage: {
    event: "usage_recorded",
    // An agent's own token cannot change what its task has cost.
    unconfined: true,
    input: z.object({
      run: z.number().int().min(1).describe("the task's row_version at the start of the attempt"),
      agent: name,
      model: name.nullish(),
      session: sessionId.nullish(),
      reported: usage
        .nullish()
        .describe("what the agent reported, if that covers earlier runs of its session"),
      ...usageFields,
    }),
  },
} as const;

export const usageRules = [
  {
    action: "record_usage",
    from: "in_progress",
    who: "lease_holder",
    effects: ["note_usage"],
  },
] as const;

export type UsageSettings = {
  continue: boolean;
  budget_usd_per_task: number;
  budget_usd_per_day: number;
  budget_tokens_per_task: number;
  budget_tokens_per_day: number;
};
export type UsageData = {
  session?: z.output<typeof session> | null | undefined;
  continues?: "answer" | "failure" | null | undefined;
  usage?: { run: number; current: Usage; earlier: Usage; allowed?: Usage | undefined } | null | undefined;
  budget_spent?: string | null | undefined;
  review_request?: { state: string } | null | undefined;
  merge_candidates?: string[] | undefined;
};
type Facts = StandardFacts & { spent_today?: { cost_usd: number; tokens: number } };
type Input = Partial<Usage> & {
  run?: number | undefined;
  agent?: string | undefined;
  session?: string | null | undefined;
  reported?: Usage | null | undefined;
};
type UsageView = View<string, UsageData, UsageSettings, Facts, Input>;

const NOTHING: Usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_usd: null };

/** Returns the usage of all attempts of a task. */
export function totalUsage({ usage: spent }: Pick<UsageData, "usage">): Usage {
  return spent ? add(spent.earlier, spent.current) : NOTHING;
}

function add(one: Usage, other: Usage, sign: 1 | -1 = 1): Usage {
  const cost = (one.cost_usd ?? 0) + sign * (other.cost_usd ?? 0);
  return {
    input_tokens: one.input_tokens + sign * other.input_tokens,
    cached_tokens: one.cached_tokens + sign * other.cached_tokens,
    output_tokens: one.output_tokens + sign * other.output_tokens,
    cost_usd: one.cost_usd === null && other.cost_usd === null ? null : cost,
  };
}

/** Returns a refusal if another attempt of the task would exceed its budget. Work that only needs to be merged costs nothing. */
export function taskBudgetSpent(data: UsageData, settings: UsageSettings): Refusal | null {
  if (data.review_request?.state === "approved" || (data.merge_candidates ?? []).length > 0) return null;
  const used = add(totalUsage(data), data.usage?.allowed ?? NOTHING, -1);
  return overBudget("task", used.cost_usd ?? 0, used.input_tokens + used.output_tokens, {
    usd: settings.budget_usd_per_task,
    tokens: settings.budget_tokens_per_task,
  });
}

/** Returns a refusal if the project has spent its budget of the current day. */
export function dayBudgetSpent(
  settings: Pick<UsageSettings, "budget_usd_per_day" | "budget_tokens_per_day">,
  { cost_usd, tokens }: { cost_usd: number; tokens: number },
): Refusal | null {
  const { budget_usd_per_day: usd, budget_tokens_per_day } = settings;
  return overBudget("day", cost_usd, tokens, { usd, tokens: budget_tokens_per_day });
}

function overBudget(
  scope: "task" | "day",
  usd: number,
  tokens: number,
  limits: { usd: number; tokens: number },
): Refusal | null {
  const spent =
    scope === "task" ? "The budget of this task is spent" : "Today's budget of the project is spent";
  if (limits.usd > 0 && usd >= limits.usd)
    return refuse("BUDGET_SPENT", `${spent}: ${dollars(usd)} of ${dollars(limits.usd)}.`, {
      scope,
      spent_usd: usd,
      budget_usd: limits.usd,
    });
  if (limits.tokens > 0 && tokens >= limits.tokens)
    return refuse("BUDGET_SPENT", `${spent}: ${tokens} of ${limits.tokens} tokens.`, {
      scope,
      spent_tokens: tokens,
      budget_tokens: limits.tokens,
    });
  return null;
}

/** Amounts below a cent keep two significant digits. */
function dollars(amount: number): string {
  const small = amount > 0 && amount < 0.01;
  return `$${small ? amount.toLocaleString("en-US", { maximumSignificantDigits: 2 }) : amount.toFixed(2)}`;
}

export const usageGuards = {
  day_budget_left: ({ task, settings, facts }) => {
    const { budget_usd_per_day: usd, budget_tokens_per_day: tokens } = settings;
    // Most projects have no budget: for them, the decision reads nothing of the task.
    if (usd === 0 && tokens === 0) return true;
    if (task.data.review_request?.state === "approved") return true;
    return dayBudgetSpent(settings, facts.spent_today ?? { cost_usd: 0, tokens: 0 }) ?? true;
  },
  task_budget_left: ({ task, settings }) => taskBudgetSpent(task.data, settings) ?? true,
} as const satisfies Record<string, Guard<UsageView>>;

type UsageChange = Change<
  Pick<UsageData, "session" | "continues" | "usage" | "budget_spent"> & { last_error: string | null }
>;

export const usageEffects = {
  note_usage: {
    change: ({ task: { data }, input }: UsageView): UsageChange => {
      const { run = 0, agent = "", session: id, reported } = input;
      const current = usageIn(input);
      const before = data.usage;
      const earlier = before?.run === run ? before.earlier : totalUsage(data);
      return {
        data: {
          usage: { run, current, earlier, ...(before?.allowed ? { allowed: before.allowed } : {}) },
          ...(id == null ? {} : { session: { agent, id, reported: reported ?? current } }),
        },
      };
    },
    side_effects: ({ input }: UsageView) => [{ kind: "save_usage", ...input }],
  },
  // A task without budget is put on hold, so that the pool offers the others.
  hold_without_budget: {
    change: ({ task, settings }: UsageView): UsageChange => {
      const spent = taskBudgetSpent(task.data, settings);
      if (spent === null) return {};
      return {
        open_holds: task.open_holds + 1,
        needs_attention: true,
        data: {
          budget_spent: spent.detail,
          last_error: `${spent.detail} Resume the task to allow it as much again.`,
        },
      };
    },
    side_effects: ({ task, settings }: UsageView) => {
      const spent = taskBudgetSpent(task.data, settings);
      return spent === null ? [] : [{ kind: "place_hold", hold_kind: BUDGET, reason: spent.detail }];
    },
  },
  allow_budget: ({ task: { data }, facts }: UsageView): UsageChange =>
    data.usage && (facts.holds ?? []).some(({ kind }) => kind === BUDGET)
      ? {
          needs_attention: false,
          data: { budget_spent: null, usage: { ...data.usage, allowed: totalUsage(data) } },
        }
      : {},
  continue_after_failure: ({ settings }: UsageView): UsageChange => ({
    data: { continues: settings.continue ? "failure" : null },
  }),
  forget_continuing: (): UsageChange => ({ data: { continues: null } }),
};

function usageIn({ input_tokens = 0, cached_tokens = 0, output_tokens = 0, cost_usd = null }: Input): Usage {
  return { input_tokens, cached_tokens, output_tokens, cost_usd };
}
