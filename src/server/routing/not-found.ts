import { isRefusal } from "../../core/index.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RouteTable } from "../../api/index.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems, ProblemFields } from "./problem-reply.ts";

/** Answers with a page of the console; returns false if the request is not for one. */
export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Answers requests that no route matches. Below /api, callers must authenticate first: strangers learn nothing about paths. */
export function answerNotFound(
  table: RouteTable,
  { authenticator, own, page }: { authenticator: Authenticator; own: OwnProblems; page: AnswerPage },
) {
  const paths = Object.values(table).map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = ""] = request.url.split("?", 1);
    if (path.startsWith("/api/")) {
      const known = await authenticator.identifyWithinLimit(request);
      if (isRefusal(known)) {
        replyProblem(request, reply, known, own);
        return reply;
      }
    }
    if (await page(request, reply)) return reply;
    const methods = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.length > 0) reply.header("allow", [...new Set(methods)].join(", "));
    replyProblem(request, reply, problemOfMissing(request.method, methods), own);
    return reply;
  };
}

function problemOfMissing(method: string, methods: readonly string[]): ProblemFields {
  if (methods.length === 0) return { code: "NOT_FOUND", detail: "There is no route at this address." };
  return {
    code: "METHOD_NOT_ALLOWED",
    detail: `This address does not accept ${method}, only ${[...new Set(methods)].join(" and ")}.`,
    params: { allow: [...new Set(methods)] },
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$|()[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
