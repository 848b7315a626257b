import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../src/postgres/connect.ts";
import type { Sql } from "../src/postgres/connect.ts";
import { openDatabase } from "../src/postgres/open-database.ts";
import { buildVersion010 } from "./build-version-0.1.0.ts";
import type { OldVersion } from "./build-version-0.1.0.ts";
import { Contestant } from "./contestant.ts";
import type { Place } from "./contender.ts";
import { installPeers, PEERS } from "./install-peers.ts";
import type { Peers } from "./install-peers.ts";
import { startRedis } from "./redis.ts";
import type { Redis } from "./redis.ts";
import type { Report } from "./report.ts";
import { TidyUp } from "./tidy-up.ts";

const PROFILES = fileURLToPath(new URL("../profiles", import.meta.url));

const CONTENDERS = {
  Pawl: { module: new URL("contenders/pawl/open.js", import.meta.url), peer: false },
  "Pawl 0.1.0": { module: new URL("contenders/version-0.1.0.js", import.meta.url), peer: false },
  "http workers": { module: new URL("contenders/http-workers.js", import.meta.url), peer: false },
  "chat readers": { module: new URL("contenders/chat-readers.js", import.meta.url), peer: false },
  "delivery library": { module: new URL("contenders/delivery-library.js", import.meta.url), peer: false },
  "delivery carrier": { module: new URL("contenders/delivery-carrier.js", import.meta.url), peer: false },
  "by hand": { module: new URL("contenders/by-hand.js", import.meta.url), peer: false },
  "pg-boss": { module: new URL("pg-boss.js", PEERS), peer: true },
  "graphile-worker": { module: new URL("graphile-worker.js", PEERS), peer: true },
  BullMQ: { module: new URL("bullmq.js", PEERS), peer: true },
};
export type ContenderName = keyof typeof CONTENDERS;
export type Entered = { contestant: Contestant; url: string };
/** A contender that cannot take part here, and why. */
export type Absent = { missing: string };

type Tell = (message: string) => void;
/** A scenario; gives one report, or one for each of its parts. */
export type Play = (stage: Stage) => Promise<Report | Report[]>;
export type StageOptions = { quick: boolean; profile: boolean; tell: (name: string) => Tell };

/** The servers that all contenders share, and the contenders' processes. What a scenario has opened ends with it. */
export class Stage {
  readonly quick: boolean;
  readonly peers: Peers;
  readonly redis: Redis;
  readonly sql: Sql;
  /** Says how far the scenario has come. */
  tell: Tell;
  private readonly options: StageOptions;
  private readonly url: string;
  private scene = new TidyUp();
  private cast = new Map<ContenderName, Entered | Absent>();
  private databases = 0;
  private oldVersion: OldVersion | undefined;

  private constructor(options: StageOptions, servers: { url: string; sql: Sql; redis: Redis; peers: Peers }) {
    this.options = options;
    this.quick = options.quick;
    this.tell = options.tell("bench");
    this.url = servers.url;
    this.sql = servers.sql;
    this.peers = servers.peers;
    this.redis = servers.redis;
  }

  static async open(options: StageOptions, needsPeers: boolean, tidyUp: TidyUp): Promise<Stage> {
    const tell = options.tell("bench");
    const notAsked = { missing: "not asked for" };
    const peers = needsPeers ? installPeers(tell) : notAsked;
    if (needsPeers && "missing" in peers) tell(`the peers are left out: ${peers.missing}`);
    const folder = await mkdtemp(join(tmpdir(), "pawl-bench-"));
    tidyUp.later(() => rm(folder, { recursive: true, force: true }));
    tell("starting PostgreSQL");
    const database = await openDatabase({ data: join(folder, "postgres"), maxConnections: 2 });
    tidyUp.later(() => database.close());
    const redis = "node" in peers ? await startRedis(folder, tell) : notAsked;
    if ("stop" in redis) tidyUp.later(redis.stop);
    else if ("node" in peers) tell(`BullMQ is left out: ${redis.missing}`);
    const stage = new Stage(options, { url: database.url, sql: database.sql, redis, peers });
    tidyUp.later(() => stage.scene.now());
    return stage;
  }

  /** Runs a scenario, and clears the stage for the next. */
  async play(name: string, scenario: Play): Promise<Report | Report[]> {
    this.tell = this.options.tell(name);
    this.scene = new TidyUp();
    this.cast = new Map();
    try {
      return await scenario(this);
    } finally {
      await this.scene.now();
    }
  }

  /** A connection to a contender's database, for what is prepared or looked up behind its back. */
  connect(url: string): Sql {
    const sql = connect(url, { maxConnections: 1 });
    this.scene.later(() => sql.end({ timeout: 1 }));
    return sql;
  }

  /** Starts Pawl, in a database of its own unless told. */
  async enterPawl({ url, flags = [] }: { url?: string; flags?: string[] } = {}): Promise<Entered> {
    const entered = this.start("Pawl", url ?? (await this.createDatabase()), process.execPath, flags);
    await entered.contestant.opened;
    return entered;
  }

  /** Starts a process of readers, which needs no database. */
  enterReaders(): Contestant {
    return this.start("chat readers", "", process.execPath).contestant;
  }

  /** Starts a process that carries files, which needs no database. */
  enterCarrier(): Contestant {
    return this.start("delivery carrier", "", process.execPath).contestant;
  }

  /** Starts processes of HTTP workers, which need no database. */
  enterHttpWorkers(): Contestant {
    return this.start("http workers", "", process.execPath).contestant;
  }

  /** Starts a contender in a place of its own, once in a scenario. */
  async enter(name: ContenderName): Promise<Entered | Absent> {
    const entered = this.cast.get(name) ?? (await this.startOnce(name));
    this.cast.set(name, entered);
    return entered;
  }

  private async startOnce(name: ContenderName): Promise<Entered | Absent> {
    if (name === "Pawl 0.1.0") {
      const old = (this.oldVersion ??= buildVersion010(this.tell));
      if ("missing" in old) return old;
      return this.start(name, await this.createDatabase(), process.execPath, [], old);
    }
    if (!CONTENDERS[name].peer) return this.start(name, await this.createDatabase(), process.execPath);
    if (!("node" in this.peers)) return this.peers;
    if (name !== "BullMQ") return this.start(name, await this.createDatabase(), this.peers.node);
    return "socket" in this.redis ? this.start(name, this.redis.socket, this.peers.node) : this.redis;
  }

  private start(
    name: ContenderName,
    url: string,
    node: string,
    flags: string[] = [],
    more: Partial<Place> = {},
  ): Entered {
    const profiles = this.options.profile && name === "Pawl" ? { profiles: PROFILES } : {};
    const place = { url, ...profiles, ...more };
    const contestant = new Contestant(name, CONTENDERS[name].module, place, { node, flags });
    this.scene.later(() => contestant.stop());
    return { contestant, url };
  }

  private async createDatabase(): Promise<string> {
    const name = `bench_${++this.databases}`;
    await this.sql.unsafe(`create database ${name}`);
    this.scene.later(() => this.sql.unsafe(`drop database ${name} with (force)`));
    return this.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  }
}
