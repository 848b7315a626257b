import type picocolors from "picocolors";
import type { Lifecycle } from "../core/index.ts";

/** A stream to write to. `columns` is Infinity where nobody's eyes wrap the lines. */
export type Screen = { write: (text: string) => void; colours: Colours; columns: number };

type Colours = ReturnType<typeof picocolors.createColors>;

/** Everything the commands stand on, handed in by `bin.ts`: the only reader of argv, environment and files. */
export type Surroundings = {
  version: string;
  out: Screen;
  err: Screen;
  /** Show where a fault came from. */
  debug: boolean;
  /** The lifecycles that ship with Pawl. */
  shipped: readonly Lifecycle[];
  loadConfig: (path: string | undefined) => Promise<UserConfig>;
  /** Runs the server until it is told to stop. */
  serve: (flags: ServerFlags, tell: (started: Started) => void) => Promise<void>;
  /** What is done directly on the database, on the machine that holds it. */
  house: {
    /** Gives the token of its admin. */
    createOrg: (id: string, flags: ServerFlags) => Promise<string>;
    /** `file` is where the token was put, if it was. */
    resetAdmin: (org: string, flags: ServerFlags) => Promise<{ token: string; file: string | null }>;
  };
};

export type ServerFlags = { host?: string; port?: string; data?: string; config?: string };

/** Where the server listens, and where the admin's token is to be found. */
export type Started = { address: string; adminToken: { place: string; made: boolean } | null };

type UserConfig = { path: string | null; lifecycles: readonly Lifecycle[] };
