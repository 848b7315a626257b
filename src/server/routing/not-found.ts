import { isRefusal } from "../../core/index.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RouteTable } from "../../api/index.ts";
import type { Guardian } from "../auth/authenticate.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems, Told } from "./problem-reply.ts";

/** Answers with a page where one is meant; null: none is. */
export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;

/** Says what is not there. Below /api nobody is told even that before he has said who he is. */
export function answerNotFound(
  table: RouteTable,
  { guardian, own, page }: { guardian: Guardian; own: OwnProblems; page: AnswerPage },
) {
  const paths = Object.values(table).map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = ""] = request.url.split("?", 1);
    if (path.startsWith("/api/")) {
      const known = await guardian.admit(request);
      if (isRefusal(known)) {
        replyProblem(request, reply, known, own);
        return reply;
      }
    }
    const shown = page(request, reply);
    if (shown) return shown;
    const methods = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.length > 0) reply.header("allow", [...new Set(methods)].join(", "));
    replyProblem(request, reply, toldOf(request.method, methods), own);
    return reply;
  };
}

function toldOf(method: string, methods: readonly string[]): Told {
  if (methods.length === 0) return { code: "NOT_FOUND", detail: "There is nothing at this address." };
  return {
    code: "METHOD_NOT_ALLOWED",
    detail: `${method} is not possible here; ${[...new Set(methods)].join(" and ")} is.`,
    params: { allow: [...new Set(methods)] },
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$|()[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
