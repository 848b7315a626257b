import type { FastifyReply, FastifyRequest } from "fastify";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Route } from "../../api/index.ts";
import { adminRefusal } from "../../engine/index.ts";
import type { Authenticated, Caller, Directory } from "../../engine/index.ts";
import { replyProblem } from "../routing/problem-reply.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { RateLimit } from "./rate-limit.ts";
import type { PermissionCheck } from "./route-permission.ts";
import { bearerOf, tokenOf } from "./session.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated caller; null on open routes. */
    caller: Caller | null;
  }
}

type GuardedRoute = Pick<Route, "access" | "path" | "confined" | "tokenInQuery">;

/** Authenticates requests and checks access to routes. */
export class Authenticator {
  private readonly directory: Directory;
  private readonly own: OwnProblems;
  private readonly limit: RateLimit | null;

  /** A limit of 0 means unlimited. */
  constructor(directory: Directory, own: OwnProblems, requestsPerMinute = 0) {
    this.directory = directory;
    this.own = own;
    this.limit = requestsPerMinute > 0 ? new RateLimit(requestsPerMinute) : null;
  }

  /** Creates the hook that passes requests with the token and permission that the route requires, and refuses the others. */
  guardRoute({ access, path, confined = [], tokenInQuery }: GuardedRoute, permission: PermissionCheck) {
    return (request: FastifyRequest, reply: FastifyReply, next: (fault?: Error) => void): void => {
      this.identifyWithinLimit(request, tokenInQuery).then((known) => {
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
        request.caller = known as Caller;
        next();
      }, next);
    };
  }

  /** Returns the caller, or refuses it if it exceeds the rate limit. */
  identifyWithinLimit(request: FastifyRequest, tokenInQuery?: string): Promise<Authenticated | Refusal> {
    const identified = this.identify(request, tokenInQuery);
    const { limit } = this;
    if (!limit) return identified;
    return identified.then((known) => {
      // A token and the sessions that it started share one limit.
      const seconds = isRefusal(known) ? null : limit.secondsToWait(known.parent_id ?? known.token_id);
      return seconds === null ? known : rateLimited(seconds);
    });
  }

  /** Returns the caller. `tokenInQuery` names the query parameter in which the route accepts a token too. */
  identify(
    request: FastifyRequest,
    tokenInQuery?: string,
    { isUse = true } = {},
  ): Promise<Authenticated | Refusal> {
    const token = tokenInQuery === undefined ? undefined : queryTokenOf(request, tokenInQuery);
    return this.authenticate(token ?? tokenOf(request), isUse);
  }

  /** Returns the caller by its `Authorization` header only; session cookies are not accepted. */
  identifyBearer({ headers }: FastifyRequest): Promise<Authenticated | Refusal> {
    return this.authenticate(bearerOf(headers));
  }

  private authenticate(token: string | Refusal, isUse = true): Promise<Authenticated | Refusal> {
    return typeof token === "string" ? this.directory.authenticate(token, { isUse }) : Promise.resolve(token);
  }
}

/** A header takes precedence over the query. */
function queryTokenOf({ headers, query }: FastifyRequest, parameter: string): string | undefined {
  const sent = (query as Record<string, unknown>)[parameter];
  return headers.authorization === undefined && typeof sent === "string" && /^\S{1,500}$/.test(sent)
    ? sent
    : undefined;
}

/** Refuses a confined token unless the route accepts its kind. */
export function confinedRefusal({ confined_to }: Caller, admitted: readonly string[]): Refusal | null {
  if (!confined_to || admitted.includes(confined_to.kind)) return null;
  return refuse(
    "TOKEN_CONFINED",
    `This token can only be used for one ${confined_to.kind}, and this request is not part of it.`,
    {
      confined_to,
    },
  );
}

/** Refuses other tasks to a token that is confined to one task, as if they did not exist. */
function otherTaskRefusal({ confined_to }: Caller, path: string, { params }: FastifyRequest): Refusal | null {
  if (confined_to?.kind !== "task" || !path.includes("{id}")) return null;
  const { id = "" } = params as { id?: string };
  if (id.toLowerCase() === confined_to.task_id) return null;
  return refuse("TASK_NOT_FOUND", `There is no task ${id}.`, { task_id: id });
}

function rateLimited(retry_after_seconds: number): Refusal {
  return refuse("RATE_LIMITED", `Too many requests with this token. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}
