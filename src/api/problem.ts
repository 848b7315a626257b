import { z } from "zod";
import { problemOf } from "../core/index.ts";
import type { AnyProblemCode, JsonObject, Problem } from "../core/index.ts";

/** The problem document of RFC 9457, sent for every refusal and error. Further fields describe the case. */
export const problem = z
  .looseObject({
    type: z.string().describe("link to the explanation of the code"),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe("stable code for programs"),
    next: z.string().describe("what to do about it"),
    instance: z.string().optional().describe("the id of the request, also in the server log"),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("the invalid fields, each with the reason"),
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

/** Builds the document of a refusal or an error. `own` are the problems that plugins define. */
export function problemDocument(
  { code, detail, params = {} }: { code: AnyProblemCode; detail: string; params?: JsonObject },
  { own = {}, instance }: { own?: Readonly<Record<string, Problem>>; instance?: string } = {},
): ProblemDocument {
  const { status, title, next } = problemOf(code, own);
  return {
    // First, so that they cannot replace the standard fields.
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

/** Every VALIDATION_ERROR has `errors`; if the whole request is invalid, one with an empty path. */
function errorsOf({ errors }: JsonObject, detail: string): unknown {
  return Array.isArray(errors) && errors.length > 0 ? errors : [{ path: "", message: detail }];
}
