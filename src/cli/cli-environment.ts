import type picocolors from "picocolors";
import type { Client } from "../client/index.ts";
import type { Lifecycle } from "../core/index.ts";
import type { Command } from "commander";
import type { ExitCode } from "./exit-code.ts";

/** A stream to write to. `columns` and `rows` are Infinity if it is not a terminal. */
export type Screen = {
  write: (text: string) => void;
  colours: Colours;
  readonly columns: number;
  readonly rows: number;
};

/** The standard output. */
export type Output = Screen & {
  /** Resolves when the reader of the output has closed it, as in `pawl watch | head -1`; checked from the first call on. */
  untilClosed: () => Promise<void>;
  /** From now on, output that cannot be written is dropped and does not end the process; `report` formats a line about it. */
  ignoreWriteErrors: (report?: (dropped: number, reason: string) => string) => void;
};

type Colours = ReturnType<typeof picocolors.createColors>;

/** Everything that commands use, passed in by `bin.ts`: the only reader of arguments, environment variables and files. */
export type CliEnvironment = {
  version: string;
  out: Output;
  err: Screen;
  /** Print stack traces with errors. */
  debug: boolean;
  now: () => number;
  /** Resolves at the first Ctrl-C or SIGTERM; `onSecond` is called at the second. */
  untilStopped: (onSecond?: () => void) => Promise<void>;
  /** The lifecycles that ship with Pawl. */
  shipped: readonly Lifecycle[];
  loadConfig: (path: string | undefined) => Promise<UserConfig>;
  /** Returns the name of the configuration file in the current folder, or null. */
  configHere: () => string | null;
  /** Writes a new file; returns false if it exists. */
  writeNew: (name: string, text: string) => Promise<boolean>;
  /** Finds the server's address and the token to use there. */
  findServer: (flags: ConnectFlags) => Promise<ServerTarget>;
  /** Survive the process: a later command acts on the version that this one shows. */
  shownVersions: ShownVersions;
  /** Runs the server until a signal stops it. */
  serve: (flags: StartFlags, onStart: (started: Started) => void) => Promise<void>;
  /** Prepares a long-running process of a plugin: its settings, log and secrets. Throws if one of its settings is invalid. */
  startProcess: (lifecycle: string, flags: { data?: string }) => Promise<PluginProcess>;
  /** Loads the commands of the plugins in the user's configuration. */
  loadCommands: () => Promise<readonly AddCommands[]>;
  agents: AgentServices;
  /** Works directly on the database, without a server; only on the machine with the database. */
  admin: {
    /** Returns the token of the new org's admin. */
    createOrg: (id: string, flags: ServerFlags) => Promise<string>;
    /** `file` is the file that the token was written to, if any. */
    resetAdmin: (org: string, flags: ServerFlags) => Promise<{ token: string; file: string | null }>;
    /** Compares every task of an org, or of all orgs, with its journal. */
    verify: (
      org: string | undefined,
      flags: ServerFlags,
      onProgress: (progress: Progress) => void,
    ) => Promise<VerifiedOrg[]>;
    /** Runs the missing migrations and returns their names. */
    migrate: (flags: ServerFlags) => Promise<{ schema: string; ran: string[] }>;
    /** Returns the SQL that `migrate` would run; null if the schema is up to date. */
    migrationScript: (flags: ServerFlags) => Promise<string | null>;
    /** Compares the schema with the migrations. */
    findDrift: (flags: ServerFlags) => Promise<{ schema: string; drift: Drift[] }>;
    /** Returns the SQL that grants a role what the server needs at run time. */
    grantScript: (role: string, flags: ServerFlags) => Promise<string>;
    /** Only reads: nothing is created, migrated or repaired. */
    inspect: (flags: ServerFlags) => Promise<InstallationReport>;
  };
};

/** Sets the exit code of the process: `setExitCode(print(…))`. */
export type SetExitCode = (code: ExitCode) => void;

/** Adds a group of commands to the program. */
export type AddCommands = (program: Command, environment: CliEnvironment, setExitCode: SetExitCode) => void;

/** A long-running process that a plugin's command starts. */
type PluginProcess = {
  settings: Readonly<Record<string, unknown>> & { host: string; data: string };
  log: Log;
  /** A file in the data folder that only its owner can read. */
  secretFile: (name: string) => {
    read: () => Promise<string | null>;
    write: (text: string) => Promise<void>;
  };
};

/** The part of pino that a process uses. */
type Log = Record<"debug" | "info" | "warn" | "error", (about: object, message: string) => void>;

export type ServerFlags = { host?: string; port?: string; data?: string; config?: string };

/** `demo`: create the demo, or resume it. */
export type StartFlags = ServerFlags & { demo?: true };

export type ShownTask = { id: string; row_version: number };

/** The versions of tasks that terminals have shown, by the address of their server. */
export type ShownVersions = {
  find: (url: string, id: string) => Promise<number | null>;
  save: (url: string, tasks: readonly ShownTask[]) => Promise<void>;
};

/** Options that override where commands look for the server. */
export type ConnectFlags = { url?: string; data?: string };

/** The server that commands call. `urlFrom` and `tokenFrom` name the source in messages: PAWL_URL, .pawl/address … */
export type ServerTarget = {
  url: string;
  urlFrom: string;
  token: string | null;
  tokenFrom: string | null;
};

export const AGENT_HOSTS = ["claude", "cursor", "codex", "generic"] as const;
export type AgentHost = (typeof AGENT_HOSTS)[number];

/** `as`: the member whose stored token is used. */
export type McpFlags = ConnectFlags & { as?: string };

/** The work of `pawl mcp` and `pawl setup`. */
export type AgentServices = {
  /** Serves one agent until its client disconnects. */
  serve: (target: ServerTarget, flags: McpFlags) => Promise<void>;
  setUp: (options: {
    host: AgentHost;
    member: string;
    roles: readonly string[];
    /** A client with an admin's token. */
    admin: Client;
    target: ServerTarget;
    http: boolean;
    write: boolean;
    data?: string;
  }) => Promise<AgentSetupReport>;
};

export type AgentSetupReport = {
  member: { id: string; state: "added" | "exists" | "not added" };
  /** `path`: the file with the token. */
  token: { path: string; state: "created" | "exists" | "not created" };
  files: { path: string; text: string; state: string; holds_token: boolean }[];
};

/** A server that is ready. */
export type Started = {
  address: string;
  /** Source of the admin token; null if only its owner knows it. */
  adminToken: { location: string; created: boolean } | null;
  demo: "absent" | "running" | "stopped" | "removing";
  /** True until the first task is created. */
  empty: boolean;
  /** Signs the admin in once; null if none is to be printed. */
  loginLink: string | null;
  /** The command that starts the demo, as the user would type it. */
  command: string;
};

/** A difference between the schema and the migrations. */
type Drift = { object: string; difference: string };

export type Progress = { done: number; all: number };

export type VerifiedOrg = {
  org: string;
  tasks: number;
  events: number;
  differences: { task_id: string; row_version: number | null; what: string }[];
};

/** The findings of `pawl doctor` about the settings, this machine and the database. */
export type InstallationReport = {
  /** If `mistake` is set, the settings or the configuration are invalid and nothing else was checked. */
  settings: {
    mistake: string | null;
    /** Invalid values of settings that only one lifecycle uses. */
    ignored: readonly { lifecycle: string; mistake: string }[];
    config: string | null;
    lifecycles: number;
  };
  node: string;
  data: { folder: string; freeBytes: number; allBytes: number } | null;
  /** A report, or: not created yet, or the reason why it cannot be used. */
  database: DatabaseReport | { absent: true } | { fault: string } | null;
};

export type DatabaseReport = {
  kind: "embedded" | "external";
  version: string;
  openedInMs: number;
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  aheadMs: number;
  migrations: { applied: number; missing: string[]; unknown: string[] };
  connections: { used: number; max: number };
  /** Age of the oldest open transaction. */
  longestTransactionSeconds: number;
  /** null if the schema is missing or has another version. */
  tasks: {
    unfinished: number;
    sweepLagSeconds: number;
    needAttention: number;
    /** Tasks requested in SQL. */
    inbox: { refused: number; waiting: number; oldestSeconds: number };
    /** Unfinished tasks whose lifecycle is not declared here. */
    orphans: { lifecycle: string; tasks: number }[];
    waiting: { lifecycle: string; tasks: number; oldestSeconds: number }[];
    /** Unfinished tasks that wait for a deleted task. */
    waitForDeleted: number;
  } | null;
};

type UserConfig = { path: string | null; lifecycles: readonly Lifecycle[] };
