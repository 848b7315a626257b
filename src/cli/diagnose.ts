import { count } from "./print.ts";
import type { DatabaseSeen, Examination } from "./surroundings.ts";
import { stretch } from "./tell-time.ts";

/** One thing that was looked at: how it is, and what to do about it. */
export type Diagnosis = {
  about: string;
  state: "fine" | "notable" | "wrong";
  found: string;
  /** What to do; null where there is nothing to be done. */
  advice: string | null;
};

const MEBI = 1_048_576;
const LITTLE_DISK = 2_048 * MEBI;
const NO_DISK = 200 * MEBI;
const OLDEST_NODE = [20, 19] as const;
/** Sweeps come every minute unless told otherwise. */
const LATE_SWEEP_SECONDS = 300;
const LONG_TRANSACTION_SECONDS = 300;
const LONG_WAIT_SECONDS = 86_400;

/** What an examination means. */
export function diagnose({ settings, node, data, database }: Examination): Diagnosis[] {
  return [
    settingsOf(settings),
    ...ignoredOf(settings),
    nodeOf(node),
    ...(data ? [diskOf(data)] : []),
    ...databaseOf(database),
  ];
}

function settingsOf({ mistake, config, lifecycles }: Examination["settings"]): Diagnosis {
  if (mistake !== null) return wrong("settings", mistake, "Mend what is named; nothing else was looked at.");
  if (config === null)
    return fine("settings", "no pawl.config.ts here; everything is by default or from the environment");
  return fine("settings", `${config}, ${count(lifecycles, "lifecycle")} of its own`);
}

function ignoredOf({ ignored }: Examination["settings"]): Diagnosis[] {
  return ignored.map(({ lifecycle, mistake }) =>
    notable(
      "settings",
      `${mistake}; it is ignored`,
      `Only ${lifecycle} uses it: correct it, or unset it if it belongs to another program.`,
    ),
  );
}

function nodeOf(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  return major > least || (major === least && minor >= leastMinor)
    ? fine("node", version)
    : wrong("node", `Node ${version} is too old`, `Install Node ${OLDEST_NODE.join(".")} or newer.`);
}

function diskOf({ folder, freeBytes, allBytes }: NonNullable<Examination["data"]>): Diagnosis {
  const found = `${bytes(freeBytes)} of ${bytes(allBytes)} are free for ${folder}`;
  const advice = "Make room, or name another folder with PAWL_DATA: a full disk stops the embedded database.";
  if (freeBytes < NO_DISK) return wrong("disk", found, advice);
  return freeBytes < LITTLE_DISK ? notable("disk", found, advice) : fine("disk", found);
}

function databaseOf(database: Examination["database"]): Diagnosis[] {
  if (database === null) return [];
  if ("absent" in database) return [notable("database", "there is none yet", "`pawl start` makes one.")];
  if ("fault" in database) return [wrong("database", database.fault, null)];
  const { kind, version, answeredInMs } = database;
  return [
    fine(
      "database",
      `${kind === "embedded" ? "embedded " : ""}PostgreSQL ${version}, opened in ${answeredInMs} ms`,
    ),
    migrationsOf(database),
    clocksOf(database),
    connectionsOf(database),
    transactionsOf(database),
    ...(database.tasks ? tasksOf(database.tasks) : []),
  ];
}

function migrationsOf({ migrations: { applied, missing, unknown } }: DatabaseSeen): Diagnosis {
  if (unknown.length > 0)
    return wrong(
      "migrations",
      `the database has ${unknown.join(", ")}, which this Pawl does not know`,
      "Run the newer Pawl that made it.",
    );
  if (missing.length > 0)
    return notable("migrations", `${missing.join(", ")} not applied yet`, "`pawl start` applies them.");
  return fine("migrations", `all ${applied} are applied`);
}

function clocksOf({ aheadMs }: DatabaseSeen): Diagnosis {
  const off = Math.abs(aheadMs);
  if (off < 2_000) return fine("clocks", "the database's and this machine's agree");
  const found = `the database's is ${stretch(off)} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`;
  const advice = "Pawl goes by the database's; let both follow a time server.";
  return off < 60_000 ? notable("clocks", found, advice) : wrong("clocks", found, advice);
}

function connectionsOf({ connections: { used, most } }: DatabaseSeen): Diagnosis {
  const found = `${used} of ${most} are open`;
  return used > most * 0.9
    ? wrong(
        "connections",
        found,
        "Lower PAWL_DATABASE_CONNECTIONS, raise max_connections, or put a pooler between.",
      )
    : fine("connections", found);
}

function transactionsOf({ longestTransactionSeconds: seconds }: DatabaseSeen): Diagnosis {
  return seconds < LONG_TRANSACTION_SECONDS
    ? fine("transactions", "none has been open for long")
    : notable(
        "transactions",
        `one has been open for ${stretch(seconds * 1_000)}`,
        "It may hold locks and keeps old rows alive: find it in pg_stat_activity (xact_start) and end it.",
      );
}

function tasksOf(tasks: NonNullable<DatabaseSeen["tasks"]>): Diagnosis[] {
  const { unfinished, sweepLagSeconds, needAttention, orphans, waiting, waitForNothing } = tasks;
  const long = waiting.filter(({ oldestSeconds }) => oldestSeconds > LONG_WAIT_SECONDS);
  return [
    sweepLagSeconds < LATE_SWEEP_SECONDS
      ? fine("timers", "none is late")
      : wrong(
          "timers",
          `one ran out ${stretch(sweepLagSeconds * 1_000)} ago and nobody has acted on it`,
          "See that a server runs, and that PAWL_SWEEP_SECONDS is not 0 on all of them; its log says what fails.",
        ),
    fine("tasks", `${unfinished} unfinished`),
    ...orphans.map(({ lifecycle, tasks: amount }) =>
      wrong(
        "tasks",
        `${count(amount, "unfinished task")} of "${lifecycle}", which is declared nowhere here`,
        "Declare it again in pawl.config.ts: until then nobody can move them.",
      ),
    ),
    ...(waitForNothing === 0
      ? []
      : [
          wrong(
            "tasks",
            `${count(waitForNothing, "task waits", "tasks wait")} for a task that is not there any more`,
            "Move or cancel them by hand: `pawl tasks list` shows them.",
          ),
        ]),
    ...(needAttention === 0
      ? []
      : [
          notable(
            "tasks",
            `${count(needAttention, "task needs", "tasks need")} attention`,
            "`pawl watch` shows them in yellow.",
          ),
        ]),
    ...long.map(({ lifecycle, tasks: amount, oldestSeconds }) =>
      notable(
        "tasks",
        `${count(amount, `${lifecycle} task`)} free to take, the oldest for ${stretch(oldestSeconds * 1_000)}`,
        "See that workers run and may take them: `pawl why <id> <action>` with a worker's token.",
      ),
    ),
  ];
}

export function fine(about: string, found: string): Diagnosis {
  return { about, state: "fine", found, advice: null };
}

export function notable(about: string, found: string, advice: string): Diagnosis {
  return { about, state: "notable", found, advice };
}

export function wrong(about: string, found: string, advice: string | null): Diagnosis {
  return { about, state: "wrong", found, advice };
}

function bytes(amount: number): string {
  const gibi = amount / (1_024 * MEBI);
  return gibi >= 1 ? `${gibi.toFixed(gibi < 10 ? 1 : 0)} GB` : `${Math.round(amount / MEBI)} MB`;
}
