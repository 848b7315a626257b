import type { FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import type { Route } from "../contract/index.ts";
import type { ConfinedKind } from "../engine/confines.ts";
import { adminRefusal } from "../engine/directory.ts";
import type { Directory } from "../engine/directory.ts";
import type { By } from "../engine/engine.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";
import { RateLimit } from "./rate-limit.ts";
import { bearerOf, tokenOf } from "./session.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** In whose name the request is made; null on routes that are open to all. */
    by: By | null;
  }
}

type Known = { kind: "known"; token_id: string } & By;

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

  /** Lets those in who have the token that the route asks for, and answers the others. */
  at({ access, path, confined = [] }: Pick<Route, "access" | "path" | "confined">) {
    return (request: FastifyRequest, reply: FastifyReply, letIn: (fault?: Error) => void): void => {
      this.admit(request).then((known) => {
        const refusal =
          known.kind === "refused"
            ? known
            : (confinedRefusal(known, confined) ??
              otherTaskRefusal(known, path, request) ??
              (access === "admin" ? adminRefusal(known.actor) : null));
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
  async admit(request: FastifyRequest): Promise<({ kind: "known" } & By) | Refusal> {
    const known = await this.recognise(request);
    if (known.kind === "refused" || !this.limit) return known;
    const seconds = this.limit.secondsToWait(known.token_id);
    return seconds === null ? known : tooMany(seconds);
  }

  /** Whose request this is. */
  async recognise(request: FastifyRequest): Promise<Known | Refusal> {
    return this.authenticate(tokenInQuery(request) ?? tokenOf(request));
  }

  /** Whose request this is, where only programs ask: a session is not enough. */
  async recogniseBearer({ headers }: FastifyRequest): Promise<Known | Refusal> {
    return this.authenticate(bearerOf(headers));
  }

  private async authenticate(token: string | Refusal): Promise<Known | Refusal> {
    return typeof token === "string" ? this.directory.authenticate(token) : token;
  }
}

/** Where the route's row allows it, and there is no header. */
function tokenInQuery({ headers, query, routeOptions }: FastifyRequest): string | undefined {
  const { tokenInQuery: name } = routeOptions.config as { tokenInQuery?: string };
  const sent = name === undefined ? undefined : (query as Record<string, unknown>)[name];
  return headers.authorization === undefined && typeof sent === "string" && /^\S{1,500}$/.test(sent)
    ? sent
    : undefined;
}

/** A token that was made for one thing opens nothing else. */
export function confinedRefusal({ confined_to }: By, admitted: readonly ConfinedKind[]): Refusal | null {
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
