import { pino } from "pino";
import type { Logger } from "pino";
import { adminTokenFile } from "./admin-token-file.ts";
import { isRefusal, PawlError, SYSTEM } from "../core/index.ts";
import { DemoRunner } from "../demo/index.ts";
import { DAY_MS, loginLinkPath } from "../engine/index.ts";
import type { DemoState, EngineObserver } from "../engine/index.ts";
import { loadServer } from "../server/index.ts";
import type { Mount, ServerOptions } from "../server/index.ts";
import type { Plugin } from "../plugin/index.ts";
import { consoleOptions } from "./console-options.ts";
import { LogDestination } from "./log-destination.ts";
import { openPawl } from "./open-pawl.ts";
import { describeListenError } from "../std/listen-error.ts";
import type { Pawl } from "./open-pawl.ts";
import { serverPlugins, withBuiltIn } from "./plugins.ts";
import { serverAddressFile } from "./server-address-file.ts";
import type { ResolvedSettings, Settings } from "./settings.ts";

export type AppOptions = {
  settings: ResolvedSettings;
  version: string;
  /** The user's plugins. */
  plugins: readonly Plugin[];
  /** The admin token, if the operator chooses it. */
  adminToken?: string | undefined;
  /** Checks a lifecycle; default: in this process. */
  check?: ServerOptions["check"];
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Resumes the demo; creates it if there is none. */
  demo?: boolean | undefined;
  /** The locale of the environment, such as `ru_RU.UTF-8`: the language of a new demo, unless a setting gives it. */
  locale?: string | undefined;
};

export type App = {
  /** The address that it listens on. */
  address: string;
  /** Source of the admin token; null if only its owner knows it. */
  adminToken: { location: string; created: boolean } | null;
  demo: DemoState["state"];
  /** True until the first task is created. */
  empty: boolean;
  /** Creates a link with which the member `admin` signs in once; null if it is inactive. */
  loginLink(): Promise<string | null>;
  /** Answers the requests in progress, then closes everything. May be called twice. */
  stop(): Promise<void>;
};

/** A shorter token could be guessed by trying. */
const ADMIN_TOKEN = /^[\x21-\x7e]{16,500}$/;

/** Starts the server: database, engine with its sweeps, and API. Resolves when it is ready. */
export async function startApp(options: AppOptions): Promise<App> {
  const { settings, version, adminToken } = options;
  if (adminToken !== undefined && !ADMIN_TOKEN.test(adminToken))
    throw new PawlError(
      "INVALID_CONFIG",
      "PAWL_ADMIN_TOKEN must have 16 to 500 ASCII characters and no spaces: `openssl rand -hex 32` prints a good one.",
    );
  const { buildServer, Metrics } = await loadServer();
  const metrics = new Metrics();
  const log = openLog(settings, () => {
    metrics.logLineDropped();
  });
  for (const { lifecycle, mistake } of settings.ignored)
    log.warn({ lifecycle }, `setting ignored: ${mistake}`);
  const pawl = await open(options, log, metrics);
  try {
    const admin = await ensureAdminToken(pawl, settings.data, adminToken);
    const { corsOrigins, allowedHosts, bodyLimitBytes, requestTimeoutSeconds, requestsPerMinute } = settings;
    const { host, port, publicUrl } = settings;
    const { directory } = pawl;
    const plugins = withBuiltIn(options.plugins, settings.builtInPlugins);
    const demo = createDemo(pawl, plugins, options, log);
    const server = await buildServer({
      engine: pawl.engine,
      directory,
      version,
      demo,
      plugins: serverPlugins(plugins, settings.plugins),
      mounts: [{ path: "/mcp", confined: ["task"], answer: answerMcpOnDemand(version) }],
      console: consoleOptions(plugins),
      check: options.check,
      logger: log,
      corsOrigins,
      allowedHosts,
      bodyLimitBytes,
      publicUrl,
      metrics,
      requestsPerMinute,
      requestTimeoutMs: Math.round(requestTimeoutSeconds * 1_000),
    });
    const address = await server.listen({ host, port }).catch((error: unknown) => {
      throw unableToListen(error, settings);
    });
    const addressFile = serverAddressFile(settings.data);
    await addressFile.write(address).catch((error: unknown) => {
      log.warn({ err: error }, "cannot write the address file; commands need PAWL_URL to find this server");
    });
    demo.listensAt(address);
    if (options.demo) await startDemo(demo);
    const stop = once(async () => {
      log.info("stopping");
      await addressFile.remove(address).catch(() => undefined);
      await demo.close().catch((error: unknown) => {
        log.warn(
          { err: error },
          "could not release the demo; another node resumes it when the lease expires",
        );
      });
      await server.close();
      await pawl.close();
      log.info("stopped");
    });
    const { state } = await demo.state();
    const { tasks } = await pawl.list(pawl.asSystem(), { limit: 1 });
    const loginLink = () => createLoginLink(pawl, publicUrl ?? reachableAddress(address));
    return { address, adminToken: admin, demo: state, empty: tasks.length === 0, loginLink, stop };
  } catch (error) {
    await pawl.close();
    throw error;
  }
}

/** Serves MCP. Its library is loaded with the first request, because many servers have no agents. */
function answerMcpOnDemand(version: string): Mount["answer"] {
  let loading: Promise<Mount["answer"]> | undefined;
  return async (call) => {
    loading ??= import("../mcp/index.ts").then(({ answerMcp }) => answerMcp({ version }));
    return (await loading)(call);
  };
}

function createDemo(
  { demo }: Pawl,
  plugins: readonly Plugin[],
  { settings: { demoLanguage, demoPace }, locale }: AppOptions,
  log: Logger,
): DemoRunner<DemoState> {
  return new DemoRunner({
    store: demo,
    loadScripts: () => Promise.all(plugins.flatMap(({ demo: load }) => load?.() ?? [])),
    language: demoLanguage ?? (locale?.startsWith("ru") ? "ru" : "en"),
    pace: demoPace,
    onProblem: ({ code, detail }) => {
      log.debug({ code, detail }, "a member of the demo was refused");
    },
    onError: (error) => {
      log.warn({ err: error }, "the demo failed; retrying");
    },
  });
}

async function startDemo(demo: DemoRunner<DemoState>): Promise<void> {
  const started = await demo.start();
  if (isRefusal(started)) throw new PawlError("INVALID_CONFIG", `--demo: ${started.detail}`);
}

/** Opens a logger on standard error. */
export function openLog({ logLevel }: { logLevel: string }, onDrop?: () => void): Logger {
  return pino({ level: logLevel }, new LogDestination(2, onDrop ? { onDrop } : {}));
}

/** Runs `work` directly on the database, without a server. */
export async function withDatabase<T>(
  settings: Settings,
  plugins: readonly Plugin[],
  work: (pawl: Pawl) => Promise<T>,
): Promise<T> {
  const pawl = await openPawl({
    ...databaseOf(settings),
    plugins: withBuiltIn(plugins, settings.builtInPlugins),
    sweepSeconds: 0,
    reconcileSeconds: 0,
    inboxSeconds: 0,
    insightsSeconds: 0,
    maxConnections: 2,
  });
  try {
    return await work(pawl);
  } finally {
    await pawl.close();
  }
}

function open(
  { settings, plugins, signal }: AppOptions,
  log: Logger,
  observer: EngineObserver,
): Promise<Pawl> {
  return openPawl({
    signal,
    ...databaseOf(settings),
    plugins: withBuiltIn(plugins, settings.builtInPlugins),
    settings: settings.plugins,
    observer,
    sweepSeconds: settings.sweepSeconds,
    reconcileSeconds: settings.reconcileSeconds,
    inboxSeconds: settings.inboxSeconds,
    sessionTimes: { lifetimeMs: settings.sessionDays * DAY_MS, idleMs: settings.sessionIdleDays * DAY_MS },
    insightsSeconds: settings.insightsSeconds,
    ...(settings.retentionDays > 0 ? { retention: { days: settings.retentionDays } } : {}),
    hints: {
      listens: true,
      directUrl: settings.directUrl ?? undefined,
      onFault: (error) => {
        log.warn({ err: error }, "LISTEN failed; falling back to polling until the connection works");
      },
    },
    onProgress: (message) => {
      log.info(message);
    },
    onFault: (error) => {
      log.error({ err: error }, "sweep failed; the next one runs as scheduled");
    },
    onRepair: (report) => {
      log.warn(report, "inconsistent tasks found and repaired");
    },
  });
}

function databaseOf(settings: Settings) {
  const { databaseUrl, data, databaseConnections, preparedStatements, schema, migrate } = settings;
  const url = databaseUrl === null ? {} : { url: databaseUrl };
  return { data, ...url, schema, migrate, maxConnections: databaseConnections, prepare: preparedStatements };
}

/** Ensures that there is an admin with a token. */
async function ensureAdminToken(
  pawl: Pawl,
  data: string,
  chosen: string | undefined,
): Promise<App["adminToken"]> {
  if (chosen !== undefined) {
    await pawl.directory.setAdminToken("main", chosen);
    return { location: "PAWL_ADMIN_TOKEN", created: false };
  }
  const file = adminTokenFile(data);
  const created = (await pawl.directory.ensureAdmin("main", file)) === "made";
  return created || (await file.read()) !== null ? { location: file.path, created } : null;
}

async function createLoginLink({ directory }: Pawl, url: string): Promise<string | null> {
  const issued = await directory.sessions.createLoginCode({ org_id: "main", actor: SYSTEM }, "admin");
  return isRefusal(issued) ? null : url + loginLinkPath(issued.code);
}

/** Replaces an address that means every interface of this machine by one that a browser can open. */
function reachableAddress(address: string): string {
  return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function unableToListen(error: unknown, { host, port }: Settings): PawlError {
  const sentence = `Pawl cannot listen on ${host}:${port}: ${describeListenError(error)}.`;
  return new PawlError("INVALID_CONFIG", sentence, {}, { cause: error });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
