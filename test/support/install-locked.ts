import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { WAIT_LIMIT_MS } from "./wait-limit.ts";

const execute = promisify(execFile);

/** Errors of npm when the registry cannot be reached. */
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;

/**
 * Copies an app with a lockfile to a folder and installs its packages from the registry, without running their install scripts.
 * Returns false, and prints a warning, if the registry cannot be reached.
 */
export async function installLocked(app: string, folder: string): Promise<boolean> {
  await cp(app, folder, { recursive: true });
  return npmInstall(folder, ["ci", "--ignore-scripts"]);
}

/** Runs an installing command of npm. Returns false, and prints a warning, if the registry cannot be reached. */
export async function npmInstall(folder: string, command: readonly string[]): Promise<boolean> {
  const args = [...command, "--no-audit", "--no-fund", "--prefer-offline"];
  try {
    await execute("npm", args, {
      cwd: folder,
      timeout: 4 * WAIT_LIMIT_MS,
      shell: process.platform === "win32",
    });
    return true;
  } catch (error) {
    const { killed, message } = error as Error & { killed?: boolean };
    if (killed !== true && !OFFLINE.test(message)) throw error;
    console.warn(`skipped: the registry cannot be reached for ${join(folder, "package.json")}`);
    return false;
  }
}
