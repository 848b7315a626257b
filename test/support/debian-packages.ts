import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Installs packages of Debian, which needs root; returns the reason if that is impossible, or null. */
export async function installDebianPackages(names: readonly string[]): Promise<string | null> {
  if (names.length === 0) return null;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return `${names.join(" and ")} of Debian ${names.length === 1 ? "is" : "are"} not installed`;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run("apt-get", ["update"], { env });
    await run("apt-get", ["install", "--yes", "--no-install-recommends", ...names], { env });
    return null;
  } catch (error) {
    return `${names.join(" and ")} cannot be installed: ${String(error).split("\n")[0] ?? ""}`;
  }
}
