import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./built-pawl.ts";

const run = promisify(execFile);

/** Folder for the agents and for test data; outside of /tmp, which Codex lets every command write to and does not run from. */
const CACHE = ROOT.startsWith(tmpdir() + sep)
  ? join(homedir(), ".cache/pawl")
  : join(ROOT, "node_modules/.cache");
export const AGENTS_FOLDER = join(CACHE, "coding-agents");
export const AGENTS_BIN = join(AGENTS_FOLDER, "node_modules/.bin");

/** The CLIs are several hundred megabytes, so they are installed by the first test that needs them. */
const VERSIONS = { "@anthropic-ai/claude-code": "2.1.325", "@openai/codex": "0.166.0" };
const INSTALL_TIMEOUT_MS = 300_000;

/** Returns why the real Claude Code and Codex cannot run here, or null after installing them from npm. */
export async function whyNoCodingAgents(): Promise<string | null> {
  if (await areInstalled()) return null;
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  try {
    await mkdir(AGENTS_FOLDER, { recursive: true });
    await run(
      "npm",
      [
        "install",
        "--loglevel=error",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
        AGENTS_FOLDER,
        ...packages,
      ],
      { cwd: AGENTS_FOLDER, timeout: INSTALL_TIMEOUT_MS },
    );
  } catch (error) {
    return `${packages.join(" and ")} cannot be installed: ${firstLine(error)}`;
  }
  return (await areInstalled()) ? null : `${packages.join(" and ")} are installed but do not start`;
}

async function areInstalled(): Promise<boolean> {
  const [claude, codex] = await Promise.all([versionOf("claude"), versionOf("codex")]);
  return claude.includes(VERSIONS["@anthropic-ai/claude-code"]) && codex.includes(VERSIONS["@openai/codex"]);
}

async function versionOf(program: string): Promise<string> {
  const env = { ...process.env, HOME: AGENTS_FOLDER, DISABLE_AUTOUPDATER: "1" };
  return run(join(AGENTS_BIN, program), ["--version"], { env }).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/** Agents that run without a sandbox. */
const OTHER_VERSIONS = { "@google/gemini-cli": "0.61.0", "opencode-ai": "1.18.33" };
const OTHERS_FOLDER = join(CACHE, "other-agents");
export const OTHERS_BIN = join(OTHERS_FOLDER, "node_modules/.bin");

/** Installs Gemini CLI and opencode from npm; returns the folder of their programs, or null if that fails. */
export async function installOtherAgents(): Promise<string | null> {
  const packages = Object.entries(OTHER_VERSIONS).map(([name, version]) => `${name}@${version}`);
  const options = ["--loglevel=error", "--no-save", "--no-audit", "--no-fund", "--prefer-offline"];
  try {
    await mkdir(OTHERS_FOLDER, { recursive: true });
    await run("npm", ["install", ...options, "--prefix", OTHERS_FOLDER, ...packages], {
      cwd: OTHERS_FOLDER,
      timeout: INSTALL_TIMEOUT_MS,
    });
    return OTHERS_BIN;
  } catch (error) {
    console.warn(`skipped: ${packages.join(" and ")} cannot be installed: ${firstLine(error)}`);
    return null;
  }
}

/** Returns why Claude Code's sandbox cannot work here, or null; installs its two programs where apt can. */
export async function whyNoClaudeSandbox(): Promise<string | null> {
  if (process.platform !== "linux") return null;
  try {
    if (!(await isOnPath("bwrap")) || !(await isOnPath("socat"))) {
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
      await run("apt-get", ["update"], { env });
      await run("apt-get", ["install", "--yes", "--no-install-recommends", "bubblewrap", "socat"], { env });
    }
  } catch (error) {
    return `bubblewrap and socat are not installed, and apt-get cannot install them: ${firstLine(error)}`;
  }
  return await run("bwrap", ["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-net", "true"]).then(
    () => null,
    (error: unknown) => `bubblewrap does not work here: ${firstLine(error)}`,
  );
}

/** Returns why Codex's sandbox cannot work here, or null. */
export async function whyNoCodexSandbox(): Promise<string | null> {
  const env = { ...process.env, HOME: AGENTS_FOLDER };
  return await run(join(AGENTS_BIN, "codex"), ["sandbox", "--", "true"], { env, cwd: AGENTS_FOLDER }).then(
    () => null,
    (error: unknown) => `\`codex sandbox -- true\` fails: ${firstLine(error)}`,
  );
}

function isOnPath(program: string): Promise<boolean> {
  return run("/bin/sh", ["-c", 'command -v "$1"', "sh", program]).then(
    () => true,
    () => false,
  );
}

function firstLine(error: unknown): string {
  const { stderr = "" } = error as { stderr?: string };
  return (stderr.trim() || String(error)).split("\n")[0] ?? "";
}
