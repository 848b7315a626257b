import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../src/engine/database/connect.ts";
import type { Sql } from "../src/engine/database/connect.ts";
import { openDatabase } from "../src/engine/database/open-database.ts";
import { Contestant } from "./contestant.ts";
import { installPeers, PEERS } from "./install-peers.ts";
import type { Peers } from "./install-peers.ts";
import { startRedis } from "./redis.ts";
import type { Redis } from "./redis.ts";
import type { TidyUp } from "./tidy-up.ts";

const PROFILES = fileURLToPath(new URL("../profiles", import.meta.url));

const CONTENDERS = {
  Pawl: { module: new URL("contenders/pawl/open.js", import.meta.url), peer: false },
  "by hand": { module: new URL("contenders/by-hand.js", import.meta.url), peer: false },
  "pg-boss": { module: new URL("pg-boss.js", PEERS), peer: true },
  "graphile-worker": { module: new URL("graphile-worker.js", PEERS), peer: true },
  BullMQ: { module: new URL("bullmq.js", PEERS), peer: true },
};
export type ContenderName = keyof typeof CONTENDERS;
type Entered = { contestant: Contestant; url: string };

export type StageOptions = { quick: boolean; profile: boolean; tell: (message: string) => void };

/** The servers that all contenders share, and the contenders' processes. */
export class Stage {
  readonly quick: boolean;
  readonly tell: (message: string) => void;
  readonly peers: Peers;
  readonly redis: Redis;
  readonly sql: Sql;
  private readonly url: string;
  private readonly profile: boolean;
  private readonly tidyUp: TidyUp;
  private databases = 0;

  private constructor(
    { quick, profile, tell }: StageOptions,
    servers: { url: string; sql: Sql; redis: Redis; peers: Peers; tidyUp: TidyUp },
  ) {
    this.quick = quick;
    this.profile = profile;
    this.tell = tell;
    this.url = servers.url;
    this.sql = servers.sql;
    this.peers = servers.peers;
    this.redis = servers.redis;
    this.tidyUp = servers.tidyUp;
  }

  static async open(options: StageOptions, needsPeers: boolean, tidyUp: TidyUp): Promise<Stage> {
    const { tell } = options;
    const notAsked = { missing: "not asked for" };
    const peers = needsPeers ? installPeers(tell) : notAsked;
    if ("missing" in peers && needsPeers) tell(`the peers are left out: ${peers.missing}`);
    const folder = await mkdtemp(join(tmpdir(), "pawl-bench-"));
    tidyUp.later(() => rm(folder, { recursive: true, force: true }));
    tell("starting PostgreSQL");
    const database = await openDatabase({ data: join(folder, "postgres"), maxConnections: 2 });
    tidyUp.later(() => database.close());
    const { sql, url } = database;
    const redis = "node" in peers ? await startRedis(folder, tell) : notAsked;
    if ("stop" in redis) tidyUp.later(redis.stop);
    else if (needsPeers) tell(`BullMQ is left out: ${redis.missing}`);
    return new Stage(options, { url, sql, redis, peers, tidyUp });
  }

  /** A new database. */
  async createDatabase(): Promise<string> {
    const name = `bench_${++this.databases}`;
    await this.sql.unsafe(`create database ${name}`);
    return this.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  }

  /** A connection to a contender's database, for what is prepared or looked up behind its back. */
  connect(url: string): Sql {
    const sql = connect(url, { maxConnections: 1 });
    this.tidyUp.later(() => sql.end({ timeout: 1 }));
    return sql;
  }

  /** Starts Pawl, in a database of its own unless told. */
  async enterPawl({ url, flags = [] }: { url?: string; flags?: string[] } = {}): Promise<Entered> {
    const entered = this.start("Pawl", url ?? (await this.createDatabase()), process.execPath, flags);
    await entered.contestant.opened;
    return entered;
  }

  /** Starts a contender in a place of its own; null where it cannot take part here. */
  async enter(name: ContenderName): Promise<Entered | null> {
    if (!CONTENDERS[name].peer) return this.start(name, await this.createDatabase(), process.execPath);
    if (!("node" in this.peers)) return null;
    if (name !== "BullMQ") return this.start(name, await this.createDatabase(), this.peers.node);
    return "socket" in this.redis ? this.start(name, this.redis.socket, this.peers.node) : null;
  }

  private start(name: ContenderName, url: string, node: string, flags: string[] = []): Entered {
    const place = { url, ...(this.profile && name === "Pawl" ? { profiles: PROFILES } : {}) };
    const contestant = new Contestant(name, CONTENDERS[name].module, place, { node, flags });
    this.tidyUp.later(() => contestant.stop());
    return { contestant, url };
  }
}
