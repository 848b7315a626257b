import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Caller } from "../../engine/index.ts";
import { rebindingRefusal } from "../auth/dns-rebinding.ts";
import type { AllowedCallers } from "../auth/dns-rebinding.ts";
import { confinedRefusal } from "../auth/authenticate.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";

/** Another protocol at a path of its own, such as MCP: it receives the authenticated POST requests to that path. */
export type Mount = {
  path: `/${string}`;
  /** Kinds of confined tokens that are accepted; the API that the protocol calls checks what they may do. */
  confined?: readonly string[];
  answer: (call: {
    /** Its signal aborts when the caller disconnects or the server stops. */
    request: Request;
    /** The caller's token. */
    token: string;
    /** The URL of this server on its own machine. */
    url: string;
  }) => Promise<Response>;
};

type MountDeps = {
  authenticator: Authenticator;
  own: OwnProblems;
  stopping: AbortSignal;
  allowedCallers: AllowedCallers;
};

export function mount(
  app: FastifyInstance,
  { path, confined = [], answer }: Mount,
  serving: MountDeps,
): void {
  const { authenticator, own, stopping, allowedCallers } = serving;
  const authenticate = async (request: FastifyRequest, reply: FastifyReply) => {
    const foreign = rebindingRefusal(request.headers, allowedCallers);
    if (foreign) {
      replyProblem(request, reply, foreign, own);
      return reply;
    }
    // Without the rate limit: the protocol's calls to the API are counted there.
    const known = await authenticator.identifyBearer(request);
    const refusal = isRefusal(known) ? known : confinedRefusal(known, confined);
    if (refusal) {
      replyProblem(request, reply, refusal, own);
      return reply;
    }
    request.caller = known as Caller;
    return undefined;
  };
  app.route({
    method: "POST",
    url: path,
    onRequest: authenticate,
    handler: async (request, reply) => {
      const { signal, release } = abortOnDisconnect(reply, stopping);
      try {
        const answered = await nullIfAborted(answer(mountRequest(app, request, signal)), signal);
        if (answered === null) {
          replyProblem(
            request,
            reply,
            refuse("UNAVAILABLE", "The server is stopping. Send the request again."),
            own,
          );
          return await reply;
        }
        for (const [name, value] of answered.headers) reply.header(name, value);
        return await reply.code(answered.status).send(await answered.text());
      } finally {
        release();
      }
    },
  });
  app.route({
    method: ["GET", "DELETE"],
    url: path,
    onRequest: authenticate,
    handler: (request, reply) => {
      reply.header("allow", "POST");
      replyProblem(request, reply, refuse("METHOD_NOT_ALLOWED", "Only POST is allowed at this path."), own);
    },
  });
}

function mountRequest(app: FastifyInstance, request: FastifyRequest, signal: AbortSignal) {
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

/** Headers of the connection, or of the original body, which is serialized again. */
const HOP_BY_HOP = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Replaces the wildcard address by loopback. */
function ownUrl({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (family === "IPv6") return `http://[${address === "::" ? "::1" : address}]:${port}`;
  return `http://${address === "0.0.0.0" ? "127.0.0.1" : address}:${port}`;
}

/** Returns a signal that aborts when the caller disconnects or the server stops. */
function abortOnDisconnect(
  { raw }: FastifyReply,
  stopping: AbortSignal,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => {
    controller.abort();
  };
  raw.once("close", abort);
  stopping.addEventListener("abort", abort);
  if (stopping.aborted) abort();
  const release = () => {
    raw.off("close", abort);
    stopping.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, release };
}

/** Returns null if the signal aborts before the answer is ready. */
async function nullIfAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = new Promise<null>((resolve) => {
    const onAbort = () => {
      resolve(null);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  const answered = answer.catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  return Promise.race([aborted, answered]);
}
