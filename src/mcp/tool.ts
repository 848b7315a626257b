import { z } from "zod";
import { MAX_NAME_LENGTH } from "../core/index.ts";
import type { Desk, LifecycleBrief, LifecycleTold } from "./desk.ts";

/** What a tool says: a short text, and the same for programs. */
export type Told = { text: string; data?: Record<string, unknown>; refused?: true };

/** The lifecycles there are, as far as they could be read. */
export type Known = { briefs: readonly LifecycleBrief[]; told: readonly LifecycleTold[] };

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  /** All that an agent needs to know before it calls: there is no other document. */
  readonly describe: (known: Known) => string;
  readonly input: Input;
  /** Changes nothing. */
  readonly reads?: true;
  readonly run: (desk: Desk, given: z.output<Input>) => Promise<Told>;
};

/** Keeps what a tool knows of its input while it is written; in the list of tools that is erased. */
export function tool<Input extends z.ZodObject>(spec: Tool<Input>): Tool {
  return spec;
}

/** An id or a name; the maximum length is the API's. */
export const name = z.string().max(MAX_NAME_LENGTH);

export const taskId = name
  .trim()
  .regex(/^[\w-]+$/, "is no id; list_tasks prints those of the tasks you may see")
  .describe("id of the task, as the other tools print it");

export const requestId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe("your own name for this one intention; repeat it when you repeat the call, never otherwise");

export const comment = z.string().trim().min(1).max(20_000).optional();
