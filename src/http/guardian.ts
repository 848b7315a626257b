import type { FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import { adminRefusal } from "../engine/directory.ts";
import type { Directory } from "../engine/directory.ts";
import type { By } from "../engine/engine.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** In whose name the request is made; null on routes that are open to all. */
    by: By | null;
  }
}

/** Stands at the door: who is it, and may he come in here at all? */
export class Guardian {
  private readonly directory: Directory;
  private readonly own: OwnProblems;

  constructor(directory: Directory, own: OwnProblems) {
    this.directory = directory;
    this.own = own;
  }

  /** Lets those in who have the token that the route asks for, and answers the others. */
  at(access: "member" | "admin") {
    return (request: FastifyRequest, reply: FastifyReply, letIn: (fault?: Error) => void): void => {
      this.recognise(request).then((known) => {
        const refusal =
          known.kind === "refused" ? known : access === "admin" ? adminRefusal(known.actor) : null;
        if (refusal) {
          replyProblem(request, reply, refusal, this.own);
          return;
        }
        request.by = known as By;
        letIn();
      }, letIn);
    };
  }

  /** Whose request this is. */
  async recognise(request: FastifyRequest): Promise<({ kind: "known" } & By) | Refusal> {
    const [, token] = /^Bearer +(\S{1,500}) *$/i.exec(request.headers.authorization ?? "") ?? [];
    if (token === undefined)
      return refuse("INVALID_TOKEN", "Say who you are: send Authorization: Bearer <token>.");
    return this.directory.authenticate(token);
  }
}
