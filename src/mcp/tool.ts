import { z } from "zod";
import { MAX_NAME_LENGTH } from "../core/index.ts";
import type { ToolContext, LifecycleBrief, DescribedLifecycle } from "./tool-context.ts";

/** Reply of a tool: a short text, and the same as structured data. */
export type ToolReply = { text: string; data?: Record<string, unknown>; refused?: true };

/** The lifecycles of the server; empty if they could not be read. */
export type KnownLifecycles = {
  briefs: readonly LifecycleBrief[];
  descriptions: readonly DescribedLifecycle[];
};

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  /** Must contain everything that an agent needs to call the tool: it has no other documentation. */
  readonly describe: (known: KnownLifecycles) => string;
  readonly input: Input;
  /** Changes nothing. */
  readonly reads?: true;
  readonly run: (context: ToolContext, given: z.output<Input>) => Promise<ToolReply>;
};

/** Types the input of a tool while it is defined; the list of tools erases the type. */
export function tool<Input extends z.ZodObject>(spec: Tool<Input>): Tool {
  return spec;
}

/** An id or a name; the maximum length is the API's. */
export const name = z.string().max(MAX_NAME_LENGTH);

export const taskId = name
  .trim()
  .regex(/^[\w-]+$/, "is not an id; list_tasks prints the ids of the tasks you may see")
  .describe("id of the task, as the other tools print it");

export const requestId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe("your own name for this call; use the same one only to repeat the call");

export const comment = z.string().trim().min(1).max(20_000).optional();
