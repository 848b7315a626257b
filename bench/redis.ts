import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export type Redis = { socket: string; version: string; stop: () => Promise<void> } | { missing: string };

/**
 * Writes are appended to a file that is synced every second, as Redis recommends where some durability is wanted. Snapshots and
 * rewrites of the file are off: they would run into the bouts of others.
 */
const SETTINGS = { appendonly: "yes", appendfsync: "everysec", save: "", "auto-aof-rewrite-percentage": "0" };
export const REDIS_SETTINGS = "appendonly yes, appendfsync everysec, no snapshots, no rewrites of the file";
const FLAGS = ["--port", "0", ...Object.entries(SETTINGS).flatMap(([name, value]) => [`--${name}`, value])];

/** Starts a Redis of our own on a socket in `folder`. */
export async function startRedis(folder: string, tell: (message: string) => void): Promise<Redis> {
  const version = versionOfRedis() ?? installRedis(tell);
  if (version === undefined)
    return { missing: "there is no redis-server; on Debian: apt-get install redis-server" };
  const data = join(folder, "redis");
  const socket = join(data, "socket");
  mkdirSync(data);
  const server = spawn("redis-server", [...FLAGS, "--unixsocket", socket, "--dir", data], {
    stdio: "ignore",
    // Of its own group: Ctrl-C must reach it after its clients have gone.
    detached: true,
  });
  const ended = once(server, "exit");
  const stop = async () => {
    server.kill("SIGTERM");
    await ended;
  };
  for (let tries = 0; tries < 100; tries++) {
    if (await answers(socket)) return { socket, version, stop };
    await pause(50);
  }
  await stop();
  return { missing: "redis-server did not start" };
}

function versionOfRedis(): string | undefined {
  const { status, stdout } = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return status === 0 ? /v=(\S+)/.exec(stdout)?.[1] : undefined;
}

function installRedis(tell: (message: string) => void): string | undefined {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return undefined;
  tell("installing Debian's redis-server (once)");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) => spawnSync("apt-get", args, { env }).status === 0;
  const install = () => apt("install", "--yes", "--no-install-recommends", "redis-server");
  if (!install()) {
    apt("update");
    install();
  }
  return versionOfRedis();
}

async function answers(socket: string): Promise<boolean> {
  const connection = connect(socket);
  try {
    await once(connection, "connect");
    return true;
  } catch {
    return false;
  } finally {
    connection.destroy();
  }
}
