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
import type { AnyProblemCode, CheckReport } from "../core/index.ts";
import type { Directory, Engine, PluginGauge } from "../engine/index.ts";
import { OrgSignal } from "./streams/org-signal.ts";
import { compressReplies } from "./routing/compress-replies.ts";
import { serveConsole } from "./ops/console-files.ts";
import type { ConsoleOptions } from "./ops/console-files.ts";
import { docsPage } from "./ops/docs-page.ts";
import { drainConnections } from "./routing/drain-connections.ts";
import { Authenticator } from "./auth/authenticate.ts";
import { readJsonBodies } from "./routing/json-body.ts";
import { LiveFeed } from "./streams/live-feed.ts";
import type { StreamDeps, OpenFeed } from "./streams/live-feed.ts";
import { OpenStreams } from "./streams/open-streams.ts";
import type { StreamTimes } from "./streams/open-streams.ts";
import { taskFeed } from "./streams/task-feed.ts";
import { exceedsPipelining } from "./routing/limit-pipelining.ts";
import { observeLatency } from "./routing/observe-latency.ts";
import { Metrics } from "./ops/metrics.ts";
import { mount } from "./routing/mount.ts";
import type { Mount } from "./routing/mount.ts";
import { answerNotFound } from "./routing/not-found.ts";
import { PoolWatch } from "./claims/pool-watch.ts";
import { pluginRouteSets, servePluginRoutes } from "./routing/plugin-route-sets.ts";
import type { PluginRoutes } from "./routing/plugin-route-sets.ts";
import { replyProblem, problemOfError } from "./routing/problem-reply.ts";
import type { OwnProblems } from "./routing/problem-reply.ts";
import { RequestLog } from "./routing/request-log.ts";
import { serveClaims } from "./routes/claims.ts";
import { serveConsolePlugins } from "./routes/console.ts";
import { serveDemo } from "./routes/demo.ts";
import type { DemoHost } from "./routes/demo.ts";
import { serveEvents } from "./routes/events.ts";
import { serveInbox } from "./routes/inbox.ts";
import { serveLifecycles } from "./routes/lifecycles.ts";
import { serveMembers } from "./routes/members.ts";
import { serveInsights } from "./routes/insights.ts";
import { serveOverview } from "./routes/overview.ts";
import { serveProjects } from "./routes/projects.ts";
import { serveSession } from "./routes/session.ts";
import { serveSystem } from "./routes/system.ts";
import { serveTasks } from "./routes/tasks.ts";
import { serveRoutes } from "./routing/serve-route.ts";
import { traceRequests } from "./routing/trace-requests.ts";

/** The argument of a plugin's `routes`. */
export type RouteHost = {
  engine: Engine;
  directory: Directory;
  /** Opens a stream of server-sent events. */
  openFeed: OpenFeed;
  /** Wakes claims that wait for a task; pass it to `claimPatiently`. */
  pools: PoolWatch;
};

/** The parts of a plugin that the server uses. */
export type ServerPlugin = PluginRoutes<RouteHost> & {
  problems: OwnProblems;
  gauges?: Readonly<Record<string, PluginGauge>>;
};

type CheckLifecycle = (lifecycle: string, signal: AbortSignal) => Promise<CheckReport>;

export type ServerOptions = {
  engine: Engine;
  directory: Directory;
  version: string;
  /** Manages the demo; without it there is no demo. */
  demo?: DemoHost;
  plugins?: readonly ServerPlugin[];
  /** Other protocols, each at its path. */
  mounts?: readonly Mount[];
  logger?: FastifyBaseLogger;
  /** Origins whose web pages may call the API; default none. */
  corsOrigins?: readonly string[];
  /** Host names under which the mounts can be called, besides IP addresses, loopback names and the hosts of `corsOrigins`. */
  allowedHosts?: readonly string[];
  /** The origin under which browsers reach this server, for links. */
  publicUrl?: string | null;
  bodyLimitBytes?: number;
  /** How long a client may take to send a request; half of it for the headers. */
  requestTimeoutMs?: number;
  /** Intervals of streams: heartbeats, token checks and polls. */
  live?: StreamTimes & { pollMs?: number };
  /** Poll interval of waiting claims; default 5 s. */
  claimPollMs?: number;
  /** Requests per minute and token; default unlimited. */
  requestsPerMinute?: number;
  /** Collects metrics; pass one if the engine reports to it too. */
  metrics?: Metrics;
  /** The console; by default there is none. */
  console?: ConsoleOptions | null;
  /** Checks a lifecycle outside of this process; by default it is checked here, in slices. */
  check?: CheckLifecycle | undefined;
  /** Validate every answer by its route, for tests. */
  checksReplies?: boolean;
};

const BODY_LIMIT_BYTES = 1_048_576;
const REQUEST_TIMEOUT_MS = 30_000;
/** Closes silent connections; longer than the maximum wait of a claim. */
const IDLE_TIMEOUT_MS = 120_000;

/** Checks lifecycles by their names until a signal aborts. */
function checkUntil(check: CheckLifecycle, stopping: AbortSignal) {
  return ({ name }: { name: string }) => check(name, stopping);
}

/** Builds the server without listening yet: call Fastify's `listen` and `close`. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { engine, directory, version, logger, plugins = [], checksReplies = false } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, metrics = new Metrics() } = options;
  // Origins are compared as text, and browsers send them without a trailing slash.
  const corsOrigins = (options.corsOrigins ?? []).map((one) => new URL(one).origin);
  const allowedHosts = (options.allowedHosts ?? []).map((one) => one.toLowerCase());
  const lifecycles = [...engine.registry.lifecycles.values()];
  const own = problemsOf([...lifecycles, ...plugins]);
  const app = Fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    ...timeouts(requestTimeoutMs),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    logController: new RequestLog(),
    // Requests that arrive while the server stops are answered normally; then their connection is closed.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => {
      // Hooks do not run for a path that cannot be decoded.
      setHeaders(request, reply);
      replyProblem(request, reply, problemOfError(error), own);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  const stopping = drainConnections(app, requestTimeoutMs);
  // Node itself would answer an unknown `Expect` header without a problem document.
  app.server.on("checkExpectation", (request, response) => {
    app.routing(request, response);
  });

  app.decorateRequest("caller", null);
  readJsonBodies(app);
  addHeaders(app);
  compressReplies(app);
  collectMetrics(app, metrics, options);
  traceRequests(app, version);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOfError(error);
    if (problem.fault) request.log.error({ err: error }, "a request failed");
    replyProblem(request, reply, problem, own);
  });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins));

  const orgSignal = new OrgSignal();
  const pools = new PoolWatch(engine.commits, stopping, options.claimPollMs);
  const streams = new OpenStreams({ stopping, ...options.live });
  const deps: StreamDeps = { engine, orgSignal, streams, stopping, log: app.log, ...options.live };
  const openFeed: OpenFeed = (kind) => new LiveFeed(deps, kind);
  const authenticator = new Authenticator(directory, own, options.requestsPerMinute);
  const sets = [
    serveLifecycles(lifecycles, options.check && checkUntil(options.check, stopping)),
    serveConsolePlugins(options.console?.plugins ?? []),
    serveTasks({ engine, directory, own, log: app.log }),
    serveClaims({ engine, pools }),
    serveEvents(openFeed(taskFeed(engine)), engine),
    serveProjects(directory),
    serveMembers(directory),
    serveOverview(engine, directory),
    serveInsights(engine, directory),
    serveInbox(engine, own),
    serveSession({ directory, publicUrl: options.publicUrl ?? null }),
    ...(options.demo ? [serveDemo(options.demo)] : []),
  ].map((set) => ({ set }));
  const taken = [SYSTEM_ROUTES, ...sets.map(({ set }) => set.table)];
  const ofPlugins = pluginRouteSets(plugins, { engine, directory, openFeed, pools }, taken);
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
  const figures = () => metrics.page(() => engine.databaseMetrics(), streams.size);
  const system = { set: serveSystem({ directory, stopping, openApi, docs, figures }) };
  const serving = { authenticator, own, stopping, checksReplies };
  for (const { set } of [system, ...sets]) serveRoutes(app, set, { ...serving, lifecycles });
  servePluginRoutes(app, ofPlugins, serving);
  const allowedCallers = { origins: corsOrigins, hosts: allowedHosts };
  for (const one of options.mounts ?? []) mount(app, one, { authenticator, own, stopping, allowedCallers });
  const page = options.console ? serveConsole(app, options.console) : () => Promise.resolve(false);
  app.setNotFoundHandler(answerNotFound(table, { authenticator, own, page }));
  return app;
}

function collectMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  { engine, plugins = [] }: Pick<ServerOptions, "engine" | "plugins">,
): void {
  metrics.setLifecycles([...engine.registry.lifecycles.values()]);
  metrics.addPlugins(plugins, (read) => engine.transaction(read));
  observeLatency(app, metrics);
}

function timeouts(requestTimeout: number) {
  const headersTimeout = Math.ceil(requestTimeout / 2);
  return {
    requestTimeout,
    connectionTimeout: IDLE_TIMEOUT_MS,
    // Node checks timeouts at this interval; its default of 30 s is too long.
    // The request timeout is needed here too: otherwise Node compares headersTimeout with its own default of 300 s.
    http: { requestTimeout, headersTimeout, connectionsCheckingInterval: Math.min(headersTimeout, 5_000) },
  };
}

function problemsOf(owners: readonly { problems: OwnProblems }[]): OwnProblems {
  return Object.assign({}, ...owners.map(({ problems }) => problems)) as OwnProblems;
}

function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}

/** Accepts a caller's request id only if it is safe in a header and in the log. */
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

function addHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (exceedsPipelining(request, reply)) {
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

const BROKEN_REQUESTS: Readonly<Record<string, [AnyProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers are larger than this server accepts."],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "REQUEST_TIMEOUT",
    "The request did not arrive completely within the time limit.",
  ],
};

/** Answers input that could not be parsed as a request; there is only a socket, and no reply object. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = BROKEN_REQUESTS[error.code ?? ""] ?? [
    "BAD_REQUEST",
    "The server received data that is not a valid HTTP request.",
  ];
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
