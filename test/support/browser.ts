import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { WAIT_LIMIT_MS } from "./wait-limit.ts";

const run = promisify(execFile);

const CHROMIUM = "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Returns why Debian's Chromium is not available, or null after installing it if needed. */
export async function browserProblem(): Promise<string | null> {
  if (existsSync(CHROMIUM)) return null;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return "Debian's chromium is not installed (apt-get install chromium)";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run("apt-get", ["update"], { env });
    await run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], { env });
    return existsSync(CHROMIUM) ? null : "the package chromium has no /usr/bin/chromium";
  } catch (error) {
    return `chromium cannot be installed: ${String(error).split("\n")[0] ?? ""}`;
  }
}

/** Opens a real browser; close it when the file's tests are done. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: WAIT_LIMIT_MS });
}
