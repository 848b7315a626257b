import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { findClusterPaths } from "../../src/postgres/cluster.ts";
import { readPostmaster } from "../../src/postgres/postmaster.ts";
import { socketFolderOf } from "../../src/postgres/socket-folder.ts";

/** Stops the PostgreSQL server that a killed process left running, if it belongs to this data folder. */
export async function stopAbandonedServer(data: string): Promise<void> {
  const { cluster } = await findClusterPaths(data);
  const postmaster = await readPostmaster(cluster).catch(() => undefined);
  if (postmaster) process.kill(postmaster.pid, "SIGQUIT");
  while (postmaster && (await readPostmaster(cluster))?.pid === postmaster.pid) await pause(10);
  await rm(socketFolderOf(cluster), { recursive: true, force: true });
}
