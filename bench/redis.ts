import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export type Redis = { socket: string; version: string; stop: () => Promise<void> } | { missing: string };

/**
 * Writes are appended to a file that is synced every second, as Redis recommends for some durability. Snapshots and rewrites of
 * the file are off: they would slow down the measurements of other contenders.
 */
const SETTINGS = { appendonly: "yes", appendfsync: "everysec", save: "", "auto-aof-rewrite-percentage": "0" };
export const REDIS_SETTINGS = "appendonly yes, appendfsync everysec, snapshots and file rewrites off";
const FLAGS = ["--port", "0", ...Object.entries(SETTINGS).flatMap(([name, value]) => [`--${name}`, value])];

/** Starts a Redis server on a socket in `folder`. */
export async function startRedis(folder: string, log: (message: string) => void): Promise<Redis> {
  const version = versionOfRedis() ?? installRedis(log);
  if (version === undefined)
    return { missing: "redis-server is not installed; on Debian: apt-get install redis-server" };
  const data = join(folder, "redis");
  const socket = join(data, "socket");
  mkdirSync(data);
  const server = spawn("redis-server", [...FLAGS, "--unixsocket", socket, "--dir", data], {
    stdio: "ignore",
    // In its own process group: Ctrl-C must not stop it before its clients.
    detached: true,
  });
  const exited = once(server, "exit");
  const stop = async () => {
    server.kill("SIGTERM");
    await exited;
  };
  for (let tries = 0; tries < 100; tries++) {
    if (await accepts(socket)) return { socket, version, stop };
    await pause(50);
  }
  await stop();
  return { missing: "redis-server did not start" };
}

function versionOfRedis(): string | undefined {
  const { status, stdout } = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return status === 0 ? /v=(\S+)/.exec(stdout)?.[1] : undefined;
}

function installRedis(log: (message: string) => void): string | undefined {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return undefined;
  log("installing Debian's redis-server (once)");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) => spawnSync("apt-get", args, { env }).status === 0;
  const install = () => apt("install", "--yes", "--no-install-recommends", "redis-server");
  if (!install()) {
    apt("update");
    install();
  }
  return versionOfRedis();
}

async function accepts(socket: string): Promise<boolean> {
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
