import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf, unusable } from "./unusable.ts";

/** A user of the operating system. */
export type Account = { name: string; uid: number; gid: number };

/**
 * The user that PostgreSQL runs as; it refuses to run as root:
 * - direct: the user of this process;
 * - namespace: root, but with a uid other than 0 inside a user namespace; root owns the files;
 * - user: an unprivileged user, which owns the files.
 */
export type Launcher =
  { kind: "direct" } | { kind: "namespace"; as: Account } | { kind: "user"; as: Account };

// PostgreSQL gets a fixed environment: a PGDATA or LC_ALL of the caller is meant for another server.
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/run/current-system/sw/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Starts a program of PostgreSQL as the launcher's user. The child's pid is that of the program. */
export function launch(
  launcher: Launcher,
  program: string,
  args: string[],
  options: SpawnOptions,
): ChildProcess {
  const common = { cwd: dirname(program), env: ENVIRONMENT, windowsHide: true, ...options };
  switch (launcher.kind) {
    case "direct":
      return spawn(program, args, common);
    case "namespace": {
      const { uid, gid } = launcher.as;
      return spawn(
        "unshare",
        ["--user", `--map-user=${uid}`, `--map-group=${gid}`, program, ...args],
        common,
      );
    }
    case "user":
      return spawn(program, args, { ...common, uid: launcher.as.uid, gid: launcher.as.gid });
  }
}

/** Runs a program to its end and returns its output. */
export async function run(
  launcher: Launcher,
  program: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = launch(launcher, program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code, output: Buffer.concat(chunks).toString() });
    });
  });
}

/** Checks whether PostgreSQL, launched this way, could enter a folder. */
export async function canEnter(launcher: Launcher, folder: string): Promise<boolean> {
  return succeeds(launcher, "/bin/sh", ["-c", 'test -x "$1"', "sh", folder]);
}

/** Checks whether a program runs when launched this way. */
export async function canRun(launcher: Launcher, program: string): Promise<boolean> {
  return succeeds(launcher, program, ["--version"]);
}

/** Returns the account whose uid root uses inside a namespace. It must exist because initdb looks it up. */
export async function namespaceAccount(): Promise<Account | undefined> {
  const accounts = await unprivilegedAccounts();
  return (
    accounts.find(({ uid }) => uid === 1000) ?? accounts.find(({ name }) => name === "nobody") ?? accounts[0]
  );
}

/** Returns the account that runs PostgreSQL for root if user namespaces are disabled. */
export async function serverAccount(): Promise<Account> {
  const accounts = await unprivilegedAccounts();
  const account = ["postgres", "nobody", "daemon"].flatMap((wanted) =>
    accounts.filter(({ name }) => name === wanted),
  )[0];
  if (account) return account;
  throw unusable(
    "PostgreSQL does not run as root, and there is no user postgres or nobody to run it; start Pawl as an ordinary user or set DATABASE_URL.",
  );
}

async function unprivilegedAccounts(): Promise<Account[]> {
  const lines = await readFile("/etc/passwd", "utf8").catch(() => "");
  return lines
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid, gid }) => name !== "" && uid > 0 && Number.isInteger(gid));
}

async function succeeds(launcher: Launcher, program: string, args: string[]): Promise<boolean> {
  return run(launcher, program, args).then(
    ({ code }) => code === 0,
    () => false,
  );
}

export function cannotRun(program: string, cause: unknown): Error {
  // ENOENT for an existing program means that its loader is missing: it was built for another C library.
  const reason = codeOf(cause) === "ENOENT" ? "it needs glibc, which Alpine Linux lacks" : messageOf(cause);
  return unusable(
    `PostgreSQL cannot run here (${program}: ${reason}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
    cause,
  );
}
