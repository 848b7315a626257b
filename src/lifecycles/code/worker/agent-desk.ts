import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { privateFolder } from "./private-folder.ts";
import { isRunning } from "./repo-lock.ts";

export type AgentDesk = {
  /** Writes a file for the agent; returns its path. */
  put: (name: string, text: string) => Promise<string>;
  remove: () => Promise<void>;
};

/** Name of the subfolder for desks. It is outside of any worktree, so that a token is never committed. */
const DESKS = "agents";

/** Creates a private folder for the prompt and the token of one agent. Its name holds the host and the process id for clean-up. */
export async function openAgentDesk(folder: string): Promise<AgentDesk> {
  const desks = await privateFolder(join(folder, DESKS));
  const desk = await mkdtemp(join(desks, `${host()}.${process.pid}.`));
  return {
    put: async (name, text) => {
      const path = join(desk, name);
      await writeFile(path, text, { mode: 0o600, flag: "wx" });
      return path;
    },
    remove: () => rm(desk, { recursive: true, force: true }),
  };
}

/** Removes the desks of killed workers on this machine. */
export async function removeAbandonedDesks(folder: string): Promise<void> {
  const desks = join(folder, DESKS);
  for (const name of await readdir(desks).catch(() => [])) {
    const [, owner, pid] = /^(.+)\.(\d+)\.\w+$/.exec(name) ?? [];
    if (owner === host() && !isRunning(Number(pid)))
      await rm(join(desks, name), { recursive: true, force: true });
  }
}

function host(): string {
  return hostname().replaceAll(/[^\w.-]/g, "-");
}
