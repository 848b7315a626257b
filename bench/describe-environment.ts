import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { spawnSync } from "node:child_process";
import { versionOfPeer } from "./install-peers.ts";
import { REDIS_SETTINGS } from "./redis.ts";
import type { Environment } from "./environment.ts";

/** Describes what the figures depend on: date, machine, versions and settings. */
export async function describeEnvironment({ sql, peers, redis }: Environment): Promise<string[]> {
  const [server] = await sql<[{ version: string; fsync: string; commit: string; buffers: string }]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit, current_setting('shared_buffers') as buffers`;
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Machine: ${processors.length} × ${processors[0]?.model.trim() ?? "?"}, ${gigabytes} GB, ${type()} ${release()}; load at the start ${loadavg()[0]?.toFixed(1) ?? "?"}`,
    `Pawl ${versionOfPawl()} and the hand-written statement on Node ${process.version}, pools of 10 connections unless the mode column names a pool`,
    `PostgreSQL ${server.version}, fsync ${server.fsync}, synchronous_commit ${server.commit}, shared_buffers ${server.buffers}; one server for all, one database each, unix socket`,
    ...("node" in peers ? [describePeers(peers.node)] : [`No peers: ${peers.missing}`]),
    "version" in redis
      ? `Redis ${redis.version}, ${REDIS_SETTINGS}, unix socket`
      : `No Redis: ${redis.missing}`,
  ];
}

function describePeers(node: string): string {
  const versions = ["pg-boss", "graphile-worker", "bullmq"].map((name) => `${name} ${versionOfPeer(name)}`);
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return `${versions.join(", ")} on Node ${stdout.trim()}, pools of 10 connections unless the mode column names a pool`;
}

function versionOfPawl(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
