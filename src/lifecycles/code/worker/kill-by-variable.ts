import { readdir, readFile } from "node:fs/promises";

/**
 * Kills all processes of this user that have inherited an environment variable with this value. A process can leave the
 * group of its parent, as Claude Code's shells do, but rarely its environment. Does nothing where /proc is missing.
 */
export async function killByVariable(name: string, value: string): Promise<void> {
  if (value === "") return;
  const ids = (await readdir("/proc").catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  for (const id of ids) if (await hasVariable(id, `${name}=${value}`)) kill(Number(id));
}

async function hasVariable(id: string, variable: string): Promise<boolean> {
  // Processes of other users, and those that have just ended, cannot be read.
  const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
  return environment.split("\0").includes(variable);
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
