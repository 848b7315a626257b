import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../src/postgres/connect.ts";
import type { Sql } from "../src/postgres/connect.ts";
import { openDatabase } from "../src/postgres/open-database.ts";
import { buildVersion010 } from "./build-version-0.1.0.ts";
import type { OldVersion } from "./build-version-0.1.0.ts";
import { ContenderProcess } from "./contender-process.ts";
import type { ContenderOptions } from "./contender.ts";
import { installPeers, PEERS } from "./install-peers.ts";
import type { Peers } from "./install-peers.ts";
import { startRedis } from "./redis.ts";
import type { Redis } from "./redis.ts";
import type { Report } from "./report.ts";
import { Cleanup } from "./cleanup.ts";

const PROFILES = fileURLToPath(new URL("../profiles", import.meta.url));

const CONTENDERS = {
  Pawl: { module: new URL("contenders/pawl/open.js", import.meta.url), peer: false },
  "Pawl 0.1.0": { module: new URL("contenders/version-0.1.0.js", import.meta.url), peer: false },
  "http workers": { module: new URL("contenders/http-workers.js", import.meta.url), peer: false },
  "chat readers": { module: new URL("contenders/chat-readers.js", import.meta.url), peer: false },
  "delivery server": { module: new URL("contenders/delivery-server.js", import.meta.url), peer: false },
  "file sender": { module: new URL("contenders/file-sender.js", import.meta.url), peer: false },
  "by hand": { module: new URL("contenders/by-hand.js", import.meta.url), peer: false },
  "pg-boss": { module: new URL("pg-boss.js", PEERS), peer: true },
  "graphile-worker": { module: new URL("graphile-worker.js", PEERS), peer: true },
  BullMQ: { module: new URL("bullmq.js", PEERS), peer: true },
};
export type ContenderName = keyof typeof CONTENDERS;
export type StartedContender = { child: ContenderProcess; url: string };
/** The reason why a contender cannot run here. */
export type Unavailable = { missing: string };

type Log = (message: string) => void;
/** Runs a scenario; returns one report, or one for each of its parts. */
export type ScenarioFunction = (env: Environment) => Promise<Report | Report[]>;
export type EnvironmentOptions = { quick: boolean; profile: boolean; log: (name: string) => Log };

/** The servers that all contenders share, and the contenders' processes. Everything that a scenario starts is stopped after it. */
export class Environment {
  readonly quick: boolean;
  readonly peers: Peers;
  readonly redis: Redis;
  readonly sql: Sql;
  /** Logs the progress of the scenario. */
  log: Log;
  private readonly options: EnvironmentOptions;
  private readonly url: string;
  private scenarioCleanup = new Cleanup();
  private contenders = new Map<ContenderName, StartedContender | Unavailable>();
  private databases = 0;
  private oldVersion: OldVersion | undefined;

  private constructor(
    options: EnvironmentOptions,
    servers: { url: string; sql: Sql; redis: Redis; peers: Peers },
  ) {
    this.options = options;
    this.quick = options.quick;
    this.log = options.log("bench");
    this.url = servers.url;
    this.sql = servers.sql;
    this.peers = servers.peers;
    this.redis = servers.redis;
  }

  static async open(
    options: EnvironmentOptions,
    needsPeers: boolean,
    cleanup: Cleanup,
  ): Promise<Environment> {
    const log = options.log("bench");
    const notNeeded = { missing: "not needed by these scenarios" };
    const peers = needsPeers ? installPeers(log) : notNeeded;
    if (needsPeers && "missing" in peers) log(`the peers are skipped: ${peers.missing}`);
    const folder = await mkdtemp(join(tmpdir(), "pawl-bench-"));
    cleanup.add(() => rm(folder, { recursive: true, force: true }));
    log("starting PostgreSQL");
    const database = await openDatabase({ data: join(folder, "postgres"), maxConnections: 2 });
    cleanup.add(() => database.close());
    const redis = "node" in peers ? await startRedis(folder, log) : notNeeded;
    if ("stop" in redis) cleanup.add(redis.stop);
    else if ("node" in peers) log(`BullMQ is skipped: ${redis.missing}`);
    const env = new Environment(options, { url: database.url, sql: database.sql, redis, peers });
    cleanup.add(() => env.scenarioCleanup.run());
    return env;
  }

  /** Runs a scenario, and cleans up after it. */
  async runScenario(name: string, scenario: ScenarioFunction): Promise<Report | Report[]> {
    this.log = this.options.log(name);
    this.scenarioCleanup = new Cleanup();
    this.contenders = new Map();
    try {
      return await scenario(this);
    } finally {
      await this.scenarioCleanup.run();
    }
  }

  /** Connects to a contender's database, to prepare or inspect data without the contender. */
  connect(url: string): Sql {
    const sql = connect(url, { maxConnections: 1 });
    this.scenarioCleanup.add(() => sql.end({ timeout: 1 }));
    return sql;
  }

  /** Starts Pawl, in a new database by default. */
  async startPawl({ url, flags = [] }: { url?: string; flags?: string[] } = {}): Promise<StartedContender> {
    const started = this.spawn("Pawl", url ?? (await this.createDatabase()), process.execPath, flags);
    await started.child.opened;
    return started;
  }

  /** Starts a process that reads chats; it needs no database. */
  startChatReaders(): ContenderProcess {
    return this.spawn("chat readers", "", process.execPath).child;
  }

  /** Starts a process that sends files from storage to a chat; it needs no database. */
  startFileSender(): ContenderProcess {
    return this.spawn("file sender", "", process.execPath).child;
  }

  /** Starts a process of HTTP workers; it needs no database. */
  startHttpWorkers(): ContenderProcess {
    return this.spawn("http workers", "", process.execPath).child;
  }

  /** Starts a contender with its own database, once per scenario. */
  async start(name: ContenderName): Promise<StartedContender | Unavailable> {
    const started = this.contenders.get(name) ?? (await this.startNew(name));
    this.contenders.set(name, started);
    return started;
  }

  private async startNew(name: ContenderName): Promise<StartedContender | Unavailable> {
    if (name === "Pawl 0.1.0") {
      const old = (this.oldVersion ??= buildVersion010(this.log));
      if ("missing" in old) return old;
      return this.spawn(name, await this.createDatabase(), process.execPath, [], old);
    }
    if (!CONTENDERS[name].peer) return this.spawn(name, await this.createDatabase(), process.execPath);
    if (!("node" in this.peers)) return this.peers;
    if (name !== "BullMQ") return this.spawn(name, await this.createDatabase(), this.peers.node);
    return "socket" in this.redis ? this.spawn(name, this.redis.socket, this.peers.node) : this.redis;
  }

  private spawn(
    name: ContenderName,
    url: string,
    node: string,
    flags: string[] = [],
    more: Partial<ContenderOptions> = {},
  ): StartedContender {
    const profiles = this.options.profile && name === "Pawl" ? { profiles: PROFILES } : {};
    const options = { url, ...profiles, ...more };
    const child = new ContenderProcess(name, CONTENDERS[name].module, options, { node, flags });
    this.scenarioCleanup.add(() => child.stop());
    return { child, url };
  }

  private async createDatabase(): Promise<string> {
    const name = `bench_${++this.databases}`;
    await this.sql.unsafe(`create database ${name}`);
    this.scenarioCleanup.add(() => this.sql.unsafe(`drop database ${name} with (force)`));
    return this.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  }
}
