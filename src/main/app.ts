import { pino } from "pino";
import type { Logger } from "pino";
import { adminTokenFile } from "./admin-token-file.ts";
import { isRefusal, PawlError } from "../core/index.ts";
import { DemoKeeper } from "../demo/index.ts";
import type { DemoState, EngineObserver } from "../engine/index.ts";
import { buildServer, Metrics } from "../server/index.ts";
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
  /** Plugins of the user's own. */
  plugins: readonly Plugin[];
  /** The admin's token, where the operator wants to choose it himself. */
  adminToken?: string | undefined;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Lets the demo go on, and makes it first where there is none. */
  demo?: boolean | undefined;
};

export type App = {
  /** Where it listens. */
  address: string;
  /** Where the admin's token is to be found; null where only its owner knows. */
  adminToken: { place: string; made: boolean } | null;
  demo: DemoState["state"];
  /** Whether nobody has made a task yet. */
  empty: boolean;
  /** Answers what is under way, then lets everything go. May be called twice. */
  stop(): Promise<void>;
};

/** The whole server: its database, the engine with its sweeps, and the API; ready when it resolves. */
export async function startApp(options: AppOptions): Promise<App> {
  const { settings, version, adminToken } = options;
  // The standard output is for what people read; logs go beside it.
  const metrics = new Metrics();
  const log = openLog(settings, () => {
    metrics.logLineDropped();
  });
  for (const { lifecycle, mistake } of settings.ignored)
    log.warn({ lifecycle }, `setting ignored: ${mistake}`);
  const pawl = await open(options, log, metrics);
  try {
    const admin = await admit(pawl, settings.data, adminToken);
    const { corsOrigins, allowedHosts, bodyLimitBytes, requestTimeoutSeconds, requestsPerMinute } = settings;
    const { host, port } = settings;
    const { directory } = pawl;
    const plugins = withBuiltIn(options.plugins);
    const keeper = keepDemo(pawl, plugins, settings, log);
    // Not before it is needed: it takes a fifth of a second, which every command would wait for.
    const { answerMcp } = await import("../mcp/index.ts");
    const server = await buildServer({
      engine: pawl,
      directory,
      version,
      demo: keeper,
      plugins: serverPlugins(plugins, settings.plugins),
      mounts: [{ path: "/mcp", confined: ["task"], answer: answerMcp({ version }) }],
      console: consoleOptions(plugins),
      logger: log,
      corsOrigins,
      allowedHosts,
      bodyLimitBytes,
      metrics,
      requestsPerMinute,
      requestTimeoutMs: Math.round(requestTimeoutSeconds * 1_000),
    });
    const address = await server.listen({ host, port }).catch((error: unknown) => {
      throw unableToListen(error, settings);
    });
    const addressFile = serverAddressFile(settings.data);
    await addressFile.write(address).catch((error: unknown) => {
      log.warn({ err: error }, "the command line will have to be told by PAWL_URL where this server is");
    });
    keeper.listensAt(address);
    if (options.demo) await begin(keeper);
    const stop = once(async () => {
      log.info("stopping");
      await addressFile.remove(address).catch(() => undefined);
      await keeper.close().catch((error: unknown) => {
        log.warn({ err: error }, "another node goes on with the demo when it finds that this one does not");
      });
      await server.close();
      await pawl.close();
      log.info("stopped");
    });
    const { state: demo } = await keeper.state();
    const { tasks } = await pawl.list(pawl.asSystem(), { limit: 1 });
    return { address, adminToken: admin, demo, empty: tasks.length === 0, stop };
  } catch (error) {
    await pawl.close();
    throw error;
  }
}

function keepDemo(
  { demo }: Pawl,
  plugins: readonly Plugin[],
  { demoPace }: Settings,
  log: Logger,
): DemoKeeper<DemoState> {
  return new DemoKeeper({
    house: demo,
    loadScripts: () => Promise.all(plugins.flatMap(({ demo: load }) => load?.() ?? [])),
    pace: demoPace,
    onMishap: ({ code, detail }) => {
      log.debug({ code, detail }, "a member of the demo was refused");
    },
    onFault: (error) => {
      log.warn({ err: error }, "the demo halts; it is tried again");
    },
  });
}

async function begin(keeper: DemoKeeper<DemoState>): Promise<void> {
  const started = await keeper.start();
  if (isRefusal(started)) throw new PawlError("INVALID_CONFIG", `--demo: ${started.detail}`);
}

/** Opens a logger on standard error. */
export function openLog({ logLevel }: { logLevel: string }, onDrop?: () => void): Logger {
  return pino({ level: logLevel }, new LogDestination(2, onDrop ? { onDrop } : {}));
}

/** What is done directly on the database, by whoever holds it. */
export async function atDatabase<T>(
  settings: Settings,
  plugins: readonly Plugin[],
  work: (pawl: Pawl) => Promise<T>,
): Promise<T> {
  const pawl = await openPawl({
    ...databaseOf(settings),
    lifecycles: plugins,
    sweepSeconds: 0,
    reconcileSeconds: 0,
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
    lifecycles: plugins,
    settings: settings.plugins,
    observer,
    sweepSeconds: settings.sweepSeconds,
    reconcileSeconds: settings.reconcileSeconds,
    ...(settings.retentionDays > 0 ? { retention: { days: settings.retentionDays } } : {}),
    hints: {
      hears: true,
      directUrl: settings.directUrl ?? undefined,
      onFault: (error) => {
        log.warn({ err: error }, "LISTEN failed; falling back to polling until the connection works");
      },
    },
    onProgress: (message) => {
      log.info(message);
    },
    onFault: (error) => {
      log.error({ err: error }, "a sweep failed; the next one comes all the same");
    },
    onRepair: (report) => {
      log.warn(report, "something had to be repaired");
    },
  });
}

function databaseOf({ databaseUrl, data, databaseConnections, preparedStatements }: Settings) {
  const url = databaseUrl === null ? {} : { url: databaseUrl };
  return { data, ...url, maxConnections: databaseConnections, prepare: preparedStatements };
}

/** Sees to it that somebody can come in. */
async function admit(pawl: Pawl, data: string, chosen: string | undefined): Promise<App["adminToken"]> {
  if (chosen !== undefined) {
    if (!/^[\x21-\x7e]{1,500}$/.test(chosen))
      throw new PawlError(
        "INVALID_CONFIG",
        "PAWL_ADMIN_TOKEN must be a text without spaces that can stand in a header.",
      );
    await pawl.directory.setAdminToken("main", chosen);
    return { place: "PAWL_ADMIN_TOKEN", made: false };
  }
  const file = adminTokenFile(data);
  const made = (await pawl.directory.ensureAdmin("main", file)) === "made";
  return made || (await file.read()) !== null ? { place: file.path, made } : null;
}

function unableToListen(error: unknown, { host, port }: Settings): PawlError {
  const sentence = `Pawl cannot listen on ${host}:${port}: ${describeListenError(error)}.`;
  return new PawlError("INVALID_CONFIG", sentence, {}, { cause: error });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
