import type picocolors from "picocolors";
import type { Client } from "../client/index.ts";
import type { Lifecycle } from "../core/index.ts";
import type { Command } from "commander";
import type { ExitCode } from "./exit-code.ts";

/** A stream to write to. `columns` is Infinity where nobody's eyes wrap the lines, and so is `rows`. */
export type Screen = {
  write: (text: string) => void;
  colours: Colours;
  readonly columns: number;
  readonly rows: number;
};

/** The standard output. */
export type Output = Screen & {
  /** Aborted when the reader of the output has closed it, as in `pawl watch | head -1`. */
  readonly closed: AbortSignal;
  /** From now on, output that cannot be written is dropped instead of ending the process. */
  keepGoing: (report?: (dropped: number, reason: string) => string) => void;
};

type Colours = ReturnType<typeof picocolors.createColors>;

/** Everything the commands stand on, handed in by `bin.ts`: the only reader of argv, environment and files. */
export type Surroundings = {
  version: string;
  out: Output;
  err: Screen;
  /** Show where a fault came from. */
  debug: boolean;
  now: () => number;
  /** Resolves when the user has had enough; `again` hears that he has said so twice, where there is something in between. */
  untilStopped: (again?: () => void) => Promise<void>;
  /** The lifecycles that ship with Pawl. */
  shipped: readonly Lifecycle[];
  loadConfig: (path: string | undefined) => Promise<UserConfig>;
  /** The configuration in this folder, if there is one. */
  configHere: () => string | null;
  /** Writes a file that is not there yet; gives false where it is. */
  writeNew: (name: string, text: string) => Promise<boolean>;
  /** Where the server is, and who we are there. */
  findServer: (flags: ReachFlags) => Promise<ServerPlace>;
  /** Runs the server until it is told to stop. */
  serve: (flags: StartFlags, tell: (started: Started) => void) => Promise<void>;
  /** Resolves the settings of a process of a plugin's own, with its log and its secrets; refuses wrong values of its settings. */
  startProcess: (lifecycle: string, flags: { data?: string }) => Promise<PluginProcess>;
  /** Loads the commands of the plugins in the user's configuration. */
  loadCommands: () => Promise<readonly AddCommands[]>;
  agents: AgentStation;
  /** What is done directly on the database, on the machine that holds it. */
  house: {
    /** Gives the token of its admin. */
    createOrg: (id: string, flags: ServerFlags) => Promise<string>;
    /** `file` is where the token was put, if it was. */
    resetAdmin: (org: string, flags: ServerFlags) => Promise<{ token: string; file: string | null }>;
    /** Every task of an org, or of all of them, against its journal. */
    verify: (
      org: string | undefined,
      flags: ServerFlags,
      onProgress: (progress: Progress) => void,
    ) => Promise<VerifiedOrg[]>;
    /** Looks at the database as it is: nothing is made, migrated or repaired. */
    examine: (flags: ServerFlags) => Promise<Examination>;
  };
};

/** Sets the exit code of the process. */
export type Leave = (code: ExitCode) => void;

/** Adds a group of commands to the program. */
export type AddCommands = (program: Command, surroundings: Surroundings, leave: Leave) => void;

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

/** `demo`: let the demo go on. */
export type StartFlags = ServerFlags & { demo?: true };

/** How a server is found, where not by the environment. */
export type ReachFlags = { url?: string; data?: string };

/** `from` says where it was found, for messages: PAWL_URL, .pawl/address … */
export type ServerPlace = {
  url: string;
  urlFrom: string;
  token: string | null;
  tokenFrom: string | null;
};

export const AGENT_HOSTS = ["claude", "cursor", "codex", "generic"] as const;
export type AgentHost = (typeof AGENT_HOSTS)[number];

/** `as`: the member whose token is kept beside the data. */
export type McpFlags = ReachFlags & { as?: string };

/** What is done for AI agents. */
export type AgentStation = {
  /** Serves one agent until its client hangs up. */
  serve: (place: ServerPlace, flags: McpFlags) => Promise<void>;
  setUp: (asked: {
    host: AgentHost;
    member: string;
    roles: readonly string[];
    /** Of an admin. */
    admin: Client;
    place: ServerPlace;
    http: boolean;
    write: boolean;
    data?: string;
  }) => Promise<AgentSetUp>;
};

export type AgentSetUp = {
  member: { id: string; made: boolean };
  /** Where it is kept. */
  token: { path: string; made: boolean };
  files: { path: string; text: string; state: string; holds_token: boolean }[];
};

/** Where the server listens, and where the admin's token is to be found. */
export type Started = {
  address: string;
  adminToken: { place: string; made: boolean } | null;
  demo: "absent" | "running" | "stopped" | "removing";
  /** Whether nobody has made a task yet. */
  empty: boolean;
  /** What was typed to start it. */
  command: string;
};

export type Progress = { done: number; all: number };

export type VerifiedOrg = {
  org: string;
  tasks: number;
  events: number;
  differences: { task_id: string; row_version: number | null; what: string }[];
};

/** What was found where the database is. */
export type Examination = {
  /** Mistakes in settings or in the configuration; then nothing else is looked at. */
  settings: {
    mistake: string | null;
    /** Wrong values of settings that only one lifecycle uses. */
    ignored: readonly { lifecycle: string; mistake: string }[];
    config: string | null;
    lifecycles: number;
  };
  node: string;
  data: { folder: string; freeBytes: number; allBytes: number } | null;
  /** Reached, not there yet, or the reason why it cannot be used. */
  database: DatabaseSeen | { absent: true } | { fault: string } | null;
};

export type DatabaseSeen = {
  kind: "embedded" | "external";
  version: string;
  answeredInMs: number;
  /** How far its clock is ahead of this machine's. */
  aheadMs: number;
  migrations: { applied: number; missing: string[]; unknown: string[] };
  connections: { used: number; most: number };
  /** The transaction that has been open longest, unless it is a moment's. */
  longestTransactionSeconds: number;
  /** null where the schema is not there yet, or not the one that we know. */
  tasks: {
    unfinished: number;
    sweepLagSeconds: number;
    needAttention: number;
    /** Unfinished tasks whose lifecycle nobody has declared here. */
    orphans: { lifecycle: string; tasks: number }[];
    waiting: { lifecycle: string; tasks: number; oldestSeconds: number }[];
    /** Unfinished and waiting for a task that is not there any more. */
    waitForNothing: number;
  } | null;
};

type UserConfig = { path: string | null; lifecycles: readonly Lifecycle[] };
