import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import Fastify from "fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  MAX_PARAM_LENGTH,
  openApiDocument,
  PROBLEM_MEDIA,
  problemDocument,
  SYSTEM_ROUTES,
} from "../api/index.ts";
import type { RouteTable } from "../api/index.ts";
import type { AnyProblemCode, Lifecycle } from "../core/index.ts";
import type { Directory, Engine } from "../engine/index.ts";
import { Bell } from "./streams/org-signal.ts";
import { compressAnswers } from "./routing/compress-answers.ts";
import { serveConsole } from "./ops/console-files.ts";
import type { ConsoleOptions } from "./ops/console-files.ts";
import { docsPage } from "./ops/docs-page.ts";
import { endConnections } from "./routing/drain-connections.ts";
import { Guardian } from "./auth/authenticate.ts";
import { readJsonBodies } from "./routing/json-body.ts";
import { LiveFeed } from "./streams/live-feed.ts";
import type { LiveHouse, OpenFeed } from "./streams/live-feed.ts";
import { OpenStreams } from "./streams/open-streams.ts";
import type { StreamTimes } from "./streams/open-streams.ts";
import { taskFeed } from "./streams/task-feed.ts";
import { isTooFarAhead } from "./routing/limit-pipelining.ts";
import { measureAnswers } from "./routing/observe-latency.ts";
import { Metrics } from "./ops/metrics.ts";
import { mount } from "./routing/mount.ts";
import type { Mount } from "./routing/mount.ts";
import { answerNotFound } from "./routing/not-found.ts";
import { PoolWatch } from "./claims/pool-watch.ts";
import { replyProblem, toldOf } from "./routing/problem-reply.ts";
import type { OwnProblems } from "./routing/problem-reply.ts";
import { RequestLog } from "./routing/request-log.ts";
import type { RouteSet } from "./routing/route-set.ts";
import { serveClaims } from "./routes/claims.ts";
import { serveConsolePlugins } from "./routes/console.ts";
import { serveDemo } from "./routes/demo.ts";
import type { DemoHost } from "./routes/demo.ts";
import { serveEvents } from "./routes/events.ts";
import { serveLifecycles } from "./routes/lifecycles.ts";
import { serveMembers } from "./routes/members.ts";
import { serveOverview } from "./routes/overview.ts";
import { serveProjects } from "./routes/projects.ts";
import { serveSession } from "./routes/session.ts";
import { serveSystem } from "./routes/system.ts";
import { serveTasks } from "./routes/tasks.ts";
import { serveRoutes } from "./routing/serve-route.ts";
import { traceRequests } from "./routing/trace-requests.ts";

/** Passed to a plugin's routes. */
export type RouteHost = {
  engine: Engine;
  directory: Directory;
  /** Opens a stream of server-sent events. */
  openFeed: OpenFeed;
  /** Lets claims wait for tasks. */
  pools: PoolWatch;
};

/** The parts of a plugin that the server uses. */
export type ServerPlugin = {
  lifecycle: Lifecycle;
  problems: OwnProblems;
  routes?: (host: RouteHost) => readonly RouteSet[];
};

export type ServerOptions = {
  engine: Engine;
  directory: Directory;
  version: string;
  /** Looks after the demo; without one there is none. */
  demo?: DemoHost;
  plugins?: readonly ServerPlugin[];
  /** Protocols of their own, each at its path. */
  mounts?: readonly Mount[];
  logger?: FastifyBaseLogger;
  /** The origins that browsers may call from; none unless told. */
  corsOrigins?: readonly string[];
  /** Host names under which the mounts can be called, besides IP addresses, loopback names and the hosts of `corsOrigins`. */
  allowedHosts?: readonly string[];
  bodyLimitBytes?: number;
  /** How long a client may take to send a request; half of it for the headers. */
  requestTimeoutMs?: number;
  /** How often streams beat, are checked, and look by themselves. */
  live?: StreamTimes & { lookMs?: number };
  /** How often a claim that waits looks by itself, whatever it is called for; 5 seconds unless told. */
  claimLookMs?: number;
  /** How often a token may be used; as often as its holder likes unless told. */
  requestsPerMinute?: number;
  /** Where figures are gathered, if the engine has figures to add to them. */
  metrics?: Metrics;
  /** The console; by default there is none. */
  console?: ConsoleOptions | null;
  /** Compare every answer with what the contract says of it. */
  checksReplies?: boolean;
};

const BODY_LIMIT_BYTES = 1_048_576;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the longest claim waits: who is silent for so long does not read his answer, or is gone. */
const SILENCE_MS = 120_000;

/** The server, not yet listening: `listen` and `close` are Fastify's. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { engine, directory, version, logger, checksReplies = false } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, metrics = new Metrics() } = options;
  // Browsers send an origin without a trailing slash, and compare it as text.
  const corsOrigins = (options.corsOrigins ?? []).map((one) => new URL(one).origin);
  const allowedHosts = (options.allowedHosts ?? []).map((one) => one.toLowerCase());
  const lifecycles = [...engine.registry.lifecycles.values()];
  const { plugins = [] } = options;
  const own = problemsOf([...lifecycles, ...plugins]);
  const app = Fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    ...timeouts(requestTimeoutMs),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    logController: new RequestLog(),
    // Requests that come while the server stops are answered like any other: their connection is closed after it.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => {
      // No hook has run for a path that cannot be decoded.
      setHeaders(request, reply);
      replyProblem(request, reply, toldOf(error), own);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  const stopping = endConnections(app, requestTimeoutMs);
  // Node would answer an expectation that it does not know by itself, and with no problem document.
  app.server.on("checkExpectation", (request, response) => {
    app.routing(request, response);
  });

  app.decorateRequest("by", null);
  readJsonBodies(app);
  tellHeaders(app);
  compressAnswers(app);
  measureAnswers(app, metrics);
  traceRequests(app, version);
  metrics.know(lifecycles);
  app.setErrorHandler((error, request, reply) => {
    const told = toldOf(error);
    if (told.fault) request.log.error({ err: error }, "a request failed");
    replyProblem(request, reply, told, own);
  });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins));

  const bell = new Bell();
  const pools = new PoolWatch(engine.commits, stopping, options.claimLookMs);
  const streams = new OpenStreams({ stopping, ...options.live });
  const house: LiveHouse = { engine, bell, streams, stopping, log: app.log, ...options.live };
  const openFeed: OpenFeed = (kind) => new LiveFeed(house, kind);
  const guardian = new Guardian(directory, own, options.requestsPerMinute);
  const sets = [
    serveLifecycles(lifecycles),
    serveConsolePlugins(options.console?.plugins ?? []),
    serveTasks({ engine, own, log: app.log }),
    serveClaims({ engine, pools }),
    serveEvents(openFeed(taskFeed(engine))),
    serveProjects(directory),
    serveMembers(directory),
    serveOverview(engine),
    serveSession(directory),
    ...(options.demo ? [serveDemo(options.demo)] : []),
  ].map((set) => ({ set, lifecycles }));
  const ofPlugins = setsOf(plugins, { engine, directory, openFeed, pools });
  const tables = [...sets, ...ofPlugins].map(({ set }) => set.table);
  const table = Object.assign({}, SYSTEM_ROUTES, ...tables) as RouteTable;
  const openApi = once(() => {
    const document = openApiDocument({ table, lifecycles, problems: own, version });
    return { document, serialized: Buffer.from(JSON.stringify(document)) };
  });
  const docs = once(() => {
    const { page, policy } = docsPage({ table, problems: own, version });
    return { page, policy, serialized: Buffer.from(page) };
  });
  const figures = () => metrics.page(() => engine.census(), streams.size);
  const system = { set: serveSystem({ directory, stopping, openApi, docs, figures }), lifecycles };
  for (const { set, lifecycles: named } of [system, ...sets, ...ofPlugins])
    serveRoutes(app, set, { guardian, own, stopping, checksReplies, lifecycles: named });
  const allowedCallers = { origins: corsOrigins, hosts: allowedHosts };
  for (const one of options.mounts ?? []) mount(app, one, { guardian, own, stopping, allowedCallers });
  const page = options.console ? await serveConsole(app, options.console) : () => null;
  app.setNotFoundHandler(answerNotFound(table, { guardian, own, page }));
  return app;
}

function timeouts(requestTimeout: number) {
  const headersTimeout = Math.ceil(requestTimeout / 2);
  return {
    requestTimeout,
    connectionTimeout: SILENCE_MS,
    // Node looks only so often whether anybody's time is over: every 30 seconds unless told.
    // The request timeout is given here as well: Node compares the headers' with its own default of 300 s otherwise.
    http: { requestTimeout, headersTimeout, connectionsCheckingInterval: Math.min(headersTimeout, 5_000) },
  };
}

/** Each set of the plugins' routes with the lifecycle whose permissions its rows name. */
function setsOf(plugins: readonly ServerPlugin[], host: RouteHost) {
  return plugins.flatMap(({ lifecycle, routes }) =>
    (routes?.(host) ?? []).map((set) => ({ set, lifecycles: [lifecycle] })),
  );
}

function problemsOf(owners: readonly { problems: OwnProblems }[]): OwnProblems {
  return Object.assign({}, ...owners.map(({ problems }) => problems)) as OwnProblems;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A caller's own id is taken if it can be written into a header and a log as it is. */
function requestIdOf(sent: string | string[] | undefined): string | null {
  return typeof sent === "string" && /^[\w.:-]{1,100}$/.test(sent) ? sent : null;
}

const HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

function tellHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (isTooFarAhead(request, reply)) {
      reply.hijack();
      return;
    }
    setHeaders(request, reply);
    done();
  });
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS).header("x-request-id", request.id);
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: [...origins],
    methods: ["GET", "POST", "PATCH", "PUT", "DELETE"],
    allowedHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-match",
      "last-event-id",
      "mcp-protocol-version",
    ],
    exposedHeaders: ["etag", "idempotent-replayed", "retry-after", "x-request-id"],
    maxAge: 600,
  };
}

const BROKEN: Readonly<Record<string, [AnyProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers are larger than this server takes."],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request was not sent in time."],
};

/** What never became a request: there is no reply yet, only a connection. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = BROKEN[error.code ?? ""] ?? ["BAD_REQUEST", "This is not understood as HTTP."];
  const { status, ...document } = problemDocument({ code, detail });
  const body = JSON.stringify({ status, ...document });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Content-Type: ${PROBLEM_MEDIA}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
