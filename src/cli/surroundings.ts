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
};

type UserConfig = { path: string | null; lifecycles: readonly Lifecycle[] };
