import { z } from "zod";
import { problemOf } from "../core/index.ts";
import type { AnyProblemCode, JsonObject, Problem } from "../core/index.ts";

/** RFC 9457: how everything that went wrong is told. Further fields say more about the case. */
export const problem = z
  .looseObject({
    type: z.string().describe("where the code is explained"),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe("stable; what programs look at"),
    next: z.string().describe("what can be done about it"),
    instance: z.string().optional().describe("the request it happened to"),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("what is wrong with which field"),
  })
  .meta({ id: "Problem" });

export const PROBLEM_MEDIA = "application/problem+json";

export type ProblemDocument = JsonObject & {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  next: string;
  instance?: string;
};

/** A refusal or a fault as it is sent. `own` are the codes that lifecycles have described themselves. */
export function problemDocument(
  { code, detail, params = {} }: { code: AnyProblemCode; detail: string; params?: JsonObject },
  { own = {}, instance }: { own?: Readonly<Record<string, Problem>>; instance?: string } = {},
): ProblemDocument {
  const { status, title, next } = problemOf(code, own);
  return {
    // What a refusal adds must not take the place of what it is.
    ...params,
    ...(code === "VALIDATION_ERROR" ? { errors: errorsOf(params, detail) } : {}),
    type: `/docs#${code}`,
    title,
    status,
    detail,
    code,
    next,
    ...(instance === undefined ? {} : { instance }),
  };
}

/** Promised for every wrong shape, also where it is the whole that is wrong. */
function errorsOf({ errors }: JsonObject, detail: string): unknown {
  return Array.isArray(errors) && errors.length > 0 ? errors : [{ path: "", message: detail }];
}
