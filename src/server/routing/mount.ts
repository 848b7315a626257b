import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isRefusal, refuse } from "../../core/index.ts";
import type { By } from "../../engine/index.ts";
import { rebindingRefusal } from "../auth/dns-rebinding.ts";
import type { AllowedCallers } from "../auth/dns-rebinding.ts";
import { confinedRefusal } from "../auth/authenticate.ts";
import type { Guardian } from "../auth/authenticate.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";

/** A protocol of its own behind the same door: it is given what is posted to its path by whoever has a token. */
export type Mount = {
  path: `/${string}`;
  /** Which confined tokens are let in; what they may do is decided where they call on. */
  confined?: readonly string[];
  answer: (visit: {
    /** Its signal is aborted when the caller is gone or the server stops. */
    request: Request;
    /** The caller's. */
    token: string;
    /** Where this server is to be reached from within. */
    url: string;
  }) => Promise<Response>;
};

type Mounting = {
  guardian: Guardian;
  own: OwnProblems;
  stopping: AbortSignal;
  allowedCallers: AllowedCallers;
};

export function mount(app: FastifyInstance, { path, confined = [], answer }: Mount, serving: Mounting): void {
  const { guardian, own, stopping, allowedCallers } = serving;
  const letIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const foreign = rebindingRefusal(request.headers, allowedCallers);
    if (foreign) {
      replyProblem(request, reply, foreign, own);
      return reply;
    }
    // Not `admit`: a call from here to the API is one more request, and is counted there.
    const known = await guardian.recogniseBearer(request);
    const refusal = isRefusal(known) ? known : confinedRefusal(known, confined);
    if (refusal) {
      replyProblem(request, reply, refusal, own);
      return reply;
    }
    request.by = known as By;
    return undefined;
  };
  app.route({
    method: "POST",
    url: path,
    onRequest: letIn,
    handler: async (request, reply) => {
      const { signal, letGo } = leaving(reply, stopping);
      try {
        const answered = await unlessLeft(answer(visitOf(app, request, signal)), signal);
        if (answered === null) {
          replyProblem(request, reply, refuse("UNAVAILABLE", "The server stops; send it again."), own);
          return await reply;
        }
        for (const [name, value] of answered.headers) reply.header(name, value);
        return await reply.code(answered.status).send(await answered.text());
      } finally {
        letGo();
      }
    },
  });
  app.route({
    method: ["GET", "DELETE"],
    url: path,
    onRequest: letIn,
    handler: (request, reply) => {
      reply.header("allow", "POST");
      replyProblem(request, reply, refuse("METHOD_NOT_ALLOWED", "Only POST is possible here."), own);
    },
  });
}

function visitOf(app: FastifyInstance, request: FastifyRequest, signal: AbortSignal) {
  const { authorization = "" } = request.headers;
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === "string" && !HOP_BY_HOP.has(name) ? [[name, value] as [string, string]] : [],
  );
  const url = ownUrl(app);
  const body = JSON.stringify(request.body ?? null);
  return {
    request: new Request(url + request.url, { method: "POST", headers, body, signal }),
    token: authorization.replace(/^Bearer +/i, "").trim(),
    url,
  };
}

/** These belong to the connection, or to a body that has been read and written anew. */
const HOP_BY_HOP = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Who listens on every address is reached on his own machine. */
function ownUrl({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (family === "IPv6") return `http://[${address === "::" ? "::1" : address}]:${port}`;
  return `http://${address === "0.0.0.0" ? "127.0.0.1" : address}:${port}`;
}

/** Aborted when nobody waits for the answer any more. */
function leaving({ raw }: FastifyReply, stopping: AbortSignal): { signal: AbortSignal; letGo: () => void } {
  const left = new AbortController();
  const leave = () => {
    left.abort();
  };
  raw.once("close", leave);
  stopping.addEventListener("abort", leave);
  if (stopping.aborted) leave();
  const letGo = () => {
    raw.off("close", leave);
    stopping.removeEventListener("abort", leave);
  };
  return { signal: left.signal, letGo };
}

/** null: it was left before it came. */
async function unlessLeft<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const left = new Promise<null>((resolve) => {
    const leave = () => {
      resolve(null);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  const unlessBroken = answer.catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  return Promise.race([left, unlessBroken]);
}
