import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { privateFolder } from "./private-folder.ts";
import { isRunning } from "./repo-lock.ts";

export type AgentFolder = {
  /** Writes a file for the agent; returns its path. */
  write: (name: string, text: string) => Promise<string>;
  remove: () => Promise<void>;
};

/** Subfolder for the files of agents. It is outside of any worktree, so that a token is never committed. */
const AGENTS = "agents";

/** Creates a private folder for the prompt and the token of one agent. Its name contains host and process id, for clean-up. */
export async function createAgentFolder(folder: string): Promise<AgentFolder> {
  const parent = await privateFolder(join(folder, AGENTS));
  const own = await mkdtemp(join(parent, ownerPrefix()));
  return {
    write: async (name, text) => {
      const path = join(own, name);
      // A second run of the agent writes them again.
      await rm(path, { force: true });
      await writeFile(path, text, { mode: 0o600, flag: "wx" });
      return path;
    },
    remove: () => rm(own, { recursive: true, force: true }),
  };
}

/** Removes the folders of killed workers on this machine. */
export async function removeAbandonedFolders(folder: string): Promise<void> {
  const desks = join(folder, AGENTS);
  for (const name of await readdir(desks).catch(() => []))
    if (isAbandoned(name)) await rm(join(desks, name), { recursive: true, force: true });
}

/** The beginning of the names of this process's temporary folders. */
export function ownerPrefix(): string {
  return `${host()}.${process.pid}.`;
}

/** Returns whether a temporary folder belongs to a process of this machine that has ended. */
export function isAbandoned(name: string): boolean {
  const [, owner, pid] = /^(.+)\.(\d+)\.\w+$/.exec(name) ?? [];
  return owner === host() && !isRunning(Number(pid));
}

function host(): string {
  return hostname().replaceAll(/[^\w.-]/g, "-");
}
