import { isRefusal } from "../../core/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { OutgoingHttpHeaders } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isMedia } from "../../api/index.ts";
import type { Reply, Route } from "../../api/index.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { anyPermissionCheck, permissionCheck } from "../auth/route-permission.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";
import { routeHandler } from "./route-handler.ts";
import type { Answer, BodyCheck, Call, RouteSet, Stream, Verb } from "./route-set.ts";

export type Serving = {
  authenticator: Authenticator;
  own: OwnProblems;
  /** The lifecycles whose permissions the rows name. */
  lifecycles: readonly Lifecycle[];
  stopping: AbortSignal;
  /** Validate every answer with the schema of its route; only for tests, because the change has been committed by then. */
  checksReplies: boolean;
};

/** Registers a set of routes with the server. */
export function serveRoutes(
  app: FastifyInstance,
  { table, verbs, bodyChecks }: RouteSet,
  serving: Serving,
): void {
  for (const [name, route] of Object.entries(table)) {
    const verb = verbs[name];
    if (!verb) throw new Error(`no handler for ${route.method} ${route.path}`);
    serveRoute(app, route, verb, bodyChecks[name], serving);
  }
}

/** Converts `/api/tasks/{id}` to the router's `/api/tasks/:id`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function serveRoute(
  app: FastifyInstance,
  route: Route,
  verb: Verb,
  checkBody: BodyCheck | undefined,
  serving: Serving,
): void {
  const handle = routeHandler(route, verb, checkBody, serving.own);
  const { access = "member" } = route;
  const checkPermission = permissionCheck(route, serving.lifecycles);
  const checkUnread =
    typeof route.permission === "object" ? anyPermissionCheck(serving.lifecycles) : () => null;
  app.route({
    method: route.method,
    url: routerPath(route.path),
    // Before the body is read, so that a caller without a token or permission gets that refusal for any body.
    ...(access === "open" ? {} : { onRequest: serving.authenticator.guardRoute(route, checkPermission) }),
    errorHandler: (error, request, reply) => {
      const forbidden = request.caller && request.body == null ? checkUnread(request.caller.actor) : null;
      if (!forbidden) throw error;
      replyProblem(request, reply, forbidden, serving.own);
    },
    // Not async: the framework would keep the promise until the response has ended.
    handler: (request, reply) => {
      answerCall(request, reply).catch((error: unknown) => reply.send(error));
    },
  });

  async function answerCall(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const done = await handle(request, () => connectionOf(request, reply, route, serving));
    if (isRefusal(done)) replyProblem(request, reply, done, serving.own);
    else if (isStream(done)) startStream(reply, route, done);
    else send(reply, route, done, serving);
  }
}

function connectionOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokenInQuery }: Route,
  { authenticator, stopping }: Serving,
): Pick<Call, "signal" | "identify"> {
  let signal: AbortSignal | undefined;
  return {
    signal: () => (signal ??= signalOf(reply, stopping)),
    // A stream that stays open does not keep a session from becoming idle.
    identify: () => authenticator.identify(request, tokenInQuery, { isUse: false }),
  };
}

/** Creates a signal on demand: most requests finish without needing one. */
function signalOf(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    controller.abort();
  };
  stopping.addEventListener("abort", abort);
  reply.raw.once("close", () => {
    stopping.removeEventListener("abort", abort);
    abort();
  });
  if (stopping.aborted || reply.raw.closed) abort();
  return controller.signal;
}

function send(reply: FastifyReply, route: Route, done: Answer, { checksReplies, stopping }: Serving): void {
  const { status, body, row_version, replayed, headers, serialized } = done;
  const row = route.replies[status];
  if (checksReplies) checkReply(route, row, done);
  reply.code(status);
  if (row_version !== undefined) reply.header("etag", `"${row_version}"`);
  if (replayed) reply.header("idempotent-replayed", "true");
  if (headers) reply.headers(headers);
  if (isMedia(row)) reply.type(row.media);
  if (stopping.aborted) reply.header("connection", "close");
  if (serialized) reply.type(isMedia(row) ? row.media : "application/json; charset=utf-8").send(serialized);
  else reply.send(body);
}

/** Sends the headers and hands the response to the stream; the framework no longer handles it. */
function startStream(reply: FastifyReply, route: Route, { status, stream }: Stream): void {
  const { raw } = reply;
  const row = route.replies[status];
  if (raw.destroyed) return;
  reply.hijack();
  // Buffering proxies would delay events.
  reply.header("x-accel-buffering", "no");
  if (isMedia(row)) reply.type(row.media);
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  if (reply.request.method === "HEAD") raw.end();
  else stream(raw);
}

/** Throws if an answer does not match its row, also if it only has more fields. */
function checkReply(route: Route, row: Reply | undefined, { status, body }: Answer): void {
  const target = `${route.method} ${route.path} → ${status}`;
  if (row === undefined) throw new Error(`${target} is not in its row`);
  if (row === null) return;
  const sent = isMedia(row) ? body : (JSON.parse(JSON.stringify(body)) as unknown);
  const parsed = (isMedia(row) ? row.schema : row).safeParse(sent);
  if (!parsed.success) throw new Error(`${target}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, sent)) throw new Error(`${target} has more fields than its row`);
}

function isStream(answer: Answer): answer is Stream {
  return "stream" in answer;
}
