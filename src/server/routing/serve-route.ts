import { isRefusal } from "../../core/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { OutgoingHttpHeaders } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isMedia } from "../../api/index.ts";
import type { Reply, Route } from "../../api/index.ts";
import type { By } from "../../engine/index.ts";
import type { Guardian } from "../auth/authenticate.ts";
import { anyPermissionCheck, permissionCheck } from "../auth/route-permission.ts";
import { replyProblem } from "./problem-reply.ts";
import type { OwnProblems } from "./problem-reply.ts";
import { readerOf } from "./read-call.ts";
import type { ReadParts } from "./read-call.ts";
import type { Answer, BodyCheck, Call, RouteSet, Stream, Verb } from "./route-set.ts";

export type Serving = {
  guardian: Guardian;
  own: OwnProblems;
  /** Those whose permissions the rows name. */
  lifecycles: readonly Lifecycle[];
  stopping: AbortSignal;
  /** Compare every answer with its row; for tests, since what was asked for has been done by then. */
  checksReplies: boolean;
};

/** Puts a set of routes on the server. */
export function serveRoutes(
  app: FastifyInstance,
  { table, verbs, bodyChecks }: RouteSet,
  serving: Serving,
): void {
  for (const [name, route] of Object.entries(table)) {
    const verb = verbs[name];
    if (!verb) throw new Error(`nothing serves ${route.method} ${route.path}`);
    serveRoute(app, route, verb, bodyChecks[name], serving);
  }
}

/** `/api/tasks/{id}` as the router writes it. */
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
  const read = readerOf(route, serving.own);
  const { access = "member" } = route;
  const checkPermission = permissionCheck(route, serving.lifecycles);
  const checkUnread =
    typeof route.permission === "object" ? anyPermissionCheck(serving.lifecycles) : () => null;
  app.route({
    method: route.method,
    url: routerPath(route.path),
    // Before the body is read: who is not known, or never may, is told so whatever he sends.
    ...(access === "open" ? {} : { onRequest: serving.guardian.at(route, checkPermission) }),
    errorHandler: (error, request, reply) => {
      const forbidden = request.by && request.body == null ? checkUnread(request.by.actor) : null;
      if (!forbidden) throw error;
      replyProblem(request, reply, forbidden, serving.own);
    },
    // Not async: the framework would watch each response to its end before it let go of the promise.
    handler: (request, reply) => {
      answerCall(request, reply).catch((error: unknown) => reply.send(error));
    },
  });

  async function answerCall(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const parts = read(request);
    const misshapen = isRefusal(parts);
    const { by, params, body } = request as Heard;
    const forbidden = by && checkBody ? await checkBody({ by, params, body, misshapen }) : null;
    const done = forbidden ?? (misshapen ? parts : await verb(callOf(request, reply, route, parts, serving)));
    if (isRefusal(done)) replyProblem(request, reply, done, serving.own);
    else if (isStream(done)) pour(reply, route, done);
    else send(reply, route, done, serving);
  }
}

type Heard = { by: By | null; params: Record<string, string>; body: unknown };

function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokenInQuery }: Route,
  parts: ReadParts,
  { guardian, stopping }: Serving,
): Call {
  let signal: AbortSignal | undefined;
  return {
    by: request.by,
    params: request.params as Record<string, string>,
    headers: request.headers,
    ...parts,
    signal: () => (signal ??= signalOf(reply, stopping)),
    recognise: () => guardian.recognise(request, tokenInQuery),
  } as Call;
}

/** Made only where somebody asks for it: most answers are there before anybody could go. */
function signalOf(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    gone.abort();
  };
  stopping.addEventListener("abort", leave);
  reply.raw.once("close", () => {
    stopping.removeEventListener("abort", leave);
    leave();
  });
  if (stopping.aborted || reply.raw.closed) leave();
  return gone.signal;
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

/** Lets an answer flow that has no end of its own; what the framework knows of the reply ends with its head. */
function pour(reply: FastifyReply, route: Route, { status, stream }: Stream): void {
  const { raw } = reply;
  const row = route.replies[status];
  if (raw.destroyed) return;
  reply.hijack();
  // Proxies that gather what they pass on would keep events back.
  reply.header("x-accel-buffering", "no");
  if (isMedia(row)) reply.type(row.media);
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  if (reply.request.method === "HEAD") raw.end();
  else stream(raw);
}

/** An answer that its row does not describe is a fault of ours, also where it only says more. */
function checkReply(route: Route, row: Reply | undefined, { status, body }: Answer): void {
  const place = `${route.method} ${route.path} → ${status}`;
  if (row === undefined) throw new Error(`${place} is not in its row`);
  if (row === null) return;
  const said = isMedia(row) ? body : (JSON.parse(JSON.stringify(body)) as unknown);
  const parsed = (isMedia(row) ? row.schema : row).safeParse(said);
  if (!parsed.success) throw new Error(`${place}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, said)) throw new Error(`${place} says more than its row`);
}

function isStream(answer: Answer): answer is Stream {
  return "stream" in answer;
}
