import { z } from "zod";
import { fields } from "../../api/index.ts";
import { task } from "./shapes.ts";

const { moment, nextCursor } = fields;

/** The kinds of items that need the lead, most urgent first. */
export const ATTENTION_KINDS = ["escalation", "late", "will_be_late", "blocked", "held", "review"] as const;

/** Items of a kind that are counted and listed at most, the oldest ones. */
export const MAX_COUNTED = 1_000;

const attentionItem = z
  .object({
    id: z.string().describe("identifies the item within its kind"),
    kind: z.enum(ATTENTION_KINDS),
    since: moment.describe("for a task that is late or will be: its due date"),
    by: z.string().nullable().describe("the member who called, placed the hold or submitted the task"),
    reason: z
      .string()
      .nullable()
      .describe("the reason of an escalation, the kind of a hold, or the status of the blocker"),
    text: z.string().nullable().describe("the words given for it"),
    escalation_id: z.uuid().nullable(),
    hold_id: z.uuid().nullable(),
    ready_at: moment
      .nullable()
      .describe("the earliest possible submission of a task that will be late, by the estimates"),
    blocker: z.object({ id: z.uuid(), title: z.string() }).nullable().describe("the task that was canceled"),
    task,
  })
  .meta({ id: "PlannerAttentionItem" });

export const attention = z.object({
  groups: z.array(
    z.object({
      kind: z.enum(ATTENTION_KINDS),
      count: z.int().describe(`at most ${MAX_COUNTED}`),
      items: z.array(attentionItem).describe("oldest first"),
      cursor: nextCursor,
    }),
  ),
});

const load = {
  done: z.int().describe("approved in the range"),
  rejected: z.int().describe("rejections in the range"),
  worked_minutes: z.number().describe("length of the periods in progress that ended in the range"),
  open: z.int().describe("unfinished tasks at the time of the answer"),
};
const ratio = z.number().min(0).max(1).nullable();

export const stats = z
  .object({
    from: moment,
    to: moment,
    done: z.int().describe("approved in the range"),
    rejected: z.int().describe("rejections in the range"),
    lead_time_minutes: z
      .object({ p50: z.number().nullable(), p90: z.number().nullable() })
      .describe("from the creation to the approval, of tasks approved in the range"),
    first_pass_yield: ratio.describe("share of the approved tasks that were never rejected"),
    rework_rate: ratio.describe("share of the reviews that were rejections"),
    days: z
      .array(z.object({ from: moment, done: z.int() }))
      .describe("the days of the range in `time_zone`, or periods of 24 hours; the first begins at `from`"),
    people: z.array(z.object({ member_id: z.string(), ...load })),
    trades: z.array(z.object({ trade: z.string().nullable().describe("null: any trade"), ...load })),
    complete: z.boolean().describe("false: only the latest 500,000 events were read"),
  })
  .meta({ id: "PlannerStats" });

export type PlannerStats = z.output<typeof stats>;
export type PlannerLoad = Omit<PlannerStats["people"][number], "member_id">;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];
export type AttentionItem = z.output<typeof attentionItem>;
export type AttentionGroup = z.output<typeof attention>["groups"][number];
