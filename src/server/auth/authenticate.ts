import type { FastifyReply, FastifyRequest } from "fastify";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Route } from "../../api/index.ts";
import { adminRefusal } from "../../engine/index.ts";
import type { Authenticated, By, Directory } from "../../engine/index.ts";
import { replyProblem } from "../routing/problem-reply.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { RateLimit } from "./rate-limit.ts";
import type { PermissionCheck } from "./route-permission.ts";
import { bearerOf, tokenOf } from "./session.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** In whose name the request is made; null on routes that are open to all. */
    by: By | null;
  }
}

type Door = Pick<Route, "access" | "path" | "confined" | "tokenInQuery">;

/** Stands at the door: who is it, and may he come in here at all? */
export class Guardian {
  private readonly directory: Directory;
  private readonly own: OwnProblems;
  private readonly limit: RateLimit | null;

  /** With a limit of 0 everybody may come as often as he likes. */
  constructor(directory: Directory, own: OwnProblems, requestsPerMinute = 0) {
    this.directory = directory;
    this.own = own;
    this.limit = requestsPerMinute > 0 ? new RateLimit(requestsPerMinute) : null;
  }

  /** Lets those in who have the token and the permission that the route asks for, and answers the others. */
  at({ access, path, confined = [], tokenInQuery }: Door, permission: PermissionCheck) {
    return (request: FastifyRequest, reply: FastifyReply, letIn: (fault?: Error) => void): void => {
      this.admit(request, tokenInQuery).then((known) => {
        const refusal = isRefusal(known)
          ? known
          : (confinedRefusal(known, confined) ??
            otherTaskRefusal(known, path, request) ??
            (access === "admin" ? adminRefusal(known.actor) : null) ??
            permission(known.actor));
        if (refusal) {
          replyProblem(request, reply, refusal, this.own);
          return;
        }
        request.by = known as By;
        letIn();
      }, letIn);
    };
  }

  /** Whose request this is, if it is not one too many. */
  admit(request: FastifyRequest, tokenInQuery?: string): Promise<Authenticated | Refusal> {
    const recognised = this.recognise(request, tokenInQuery);
    const { limit } = this;
    if (!limit) return recognised;
    return recognised.then((known) => {
      const seconds = isRefusal(known) ? null : limit.secondsToWait(known.token_id);
      return seconds === null ? known : tooMany(seconds);
    });
  }

  /** Whose request this is. `tokenInQuery` names the query parameter that the route also accepts a token in. */
  recognise(request: FastifyRequest, tokenInQuery?: string): Promise<Authenticated | Refusal> {
    const token = tokenInQuery === undefined ? undefined : queryTokenOf(request, tokenInQuery);
    return this.authenticate(token ?? tokenOf(request));
  }

  /** Whose request this is, where only programs ask: a session is not enough. */
  recogniseBearer({ headers }: FastifyRequest): Promise<Authenticated | Refusal> {
    return this.authenticate(bearerOf(headers));
  }

  private authenticate(token: string | Refusal): Promise<Authenticated | Refusal> {
    return typeof token === "string" ? this.directory.authenticate(token) : Promise.resolve(token);
  }
}

/** A header takes precedence over the query. */
function queryTokenOf({ headers, query }: FastifyRequest, parameter: string): string | undefined {
  const sent = (query as Record<string, unknown>)[parameter];
  return headers.authorization === undefined && typeof sent === "string" && /^\S{1,500}$/.test(sent)
    ? sent
    : undefined;
}

/** A token that was made for one thing opens nothing else. */
export function confinedRefusal({ confined_to }: By, admitted: readonly string[]): Refusal | null {
  if (!confined_to || admitted.includes(confined_to.kind)) return null;
  return refuse("TOKEN_CONFINED", `This token is for one ${confined_to.kind} only, and opens nothing here.`, {
    confined_to,
  });
}

/** For a token that was made for one task there are no others. */
function otherTaskRefusal({ confined_to }: By, path: string, { params }: FastifyRequest): Refusal | null {
  if (confined_to?.kind !== "task" || !path.includes("/tasks/{id}")) return null;
  const { id = "" } = params as { id?: string };
  if (id.toLowerCase() === confined_to.task_id) return null;
  return refuse("TASK_NOT_FOUND", `There is no task ${id}.`, { task_id: id });
}

function tooMany(retry_after_seconds: number): Refusal {
  return refuse("RATE_LIMITED", `This token asks too often: come again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}
