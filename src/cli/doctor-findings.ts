import { count } from "./print.ts";
import type { DatabaseReport, InstallationReport } from "./cli-environment.ts";
import { formatDuration } from "./format-time.ts";

/** The result of one check. The field names are those of `pawl doctor --json`. */
export type Finding = {
  about: string;
  state: "fine" | "notable" | "wrong";
  found: string;
  /** Next step; null if there is nothing to do. */
  advice: string | null;
};

const MEBI = 1_048_576;
const LOW_DISK_BYTES = 2_048 * MEBI;
const CRITICAL_DISK_BYTES = 200 * MEBI;
const MIN_NODE_VERSION = [20, 19] as const;
/** Sweeps run every 60 s by default, so a timer this late was not handled by any. */
const LATE_SWEEP_SECONDS = 300;
const LATE_REQUEST_SECONDS = 60;
const LONG_TRANSACTION_SECONDS = 300;
const LONG_WAIT_SECONDS = 86_400;

/** Turns a report into findings, each with a state and a next step. */
export function doctorFindings({ settings, node, data, database }: InstallationReport): Finding[] {
  return [
    settingsFinding(settings),
    ...ignoredSettings(settings),
    nodeFinding(node),
    ...(data ? [diskFinding(data)] : []),
    ...databaseFindings(database),
  ];
}

function settingsFinding({ mistake, config, lifecycles }: InstallationReport["settings"]): Finding {
  if (mistake !== null)
    return wrong(
      "settings",
      mistake,
      "Correct it and run `pawl doctor` again: the other checks were skipped.",
    );
  if (config === null)
    return fine("settings", "no pawl.config.ts in this folder; using the defaults and the environment");
  return fine("settings", `${config} with ${count(lifecycles, "lifecycle")}`);
}

function ignoredSettings({ ignored }: InstallationReport["settings"]): Finding[] {
  return ignored.map(({ lifecycle, mistake }) =>
    notable(
      "settings",
      `${mistake}; the value is ignored`,
      `Only ${lifecycle} uses this setting: correct it, or unset it if it belongs to another program.`,
    ),
  );
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor, minMinor] = MIN_NODE_VERSION;
  return major > minMajor || (major === minMajor && minor >= minMinor)
    ? fine("node", version)
    : wrong("node", `Node ${version} is too old`, `Install Node ${MIN_NODE_VERSION.join(".")} or newer.`);
}

function diskFinding({ folder, freeBytes, allBytes }: NonNullable<InstallationReport["data"]>): Finding {
  const found = `${bytes(freeBytes)} of ${bytes(allBytes)} are free in ${folder}`;
  const advice =
    "Free some space, or choose another folder with PAWL_DATA: a full disk stops the embedded database.";
  if (freeBytes < CRITICAL_DISK_BYTES) return wrong("disk", found, advice);
  return freeBytes < LOW_DISK_BYTES ? notable("disk", found, advice) : fine("disk", found);
}

function databaseFindings(database: InstallationReport["database"]): Finding[] {
  if (database === null) return [];
  if ("absent" in database) return [notable("database", "there is none yet", "`pawl start` creates it.")];
  if ("fault" in database) return [wrong("database", database.fault, null)];
  const { kind, version, openedInMs: answeredInMs } = database;
  return [
    fine(
      "database",
      `${kind === "embedded" ? "embedded " : ""}PostgreSQL ${version}, opened in ${answeredInMs} ms`,
    ),
    migrationsFinding(database),
    clocksFinding(database),
    connectionsFinding(database),
    transactionsFinding(database),
    ...(database.tasks ? taskFindings(database.tasks) : []),
  ];
}

function migrationsFinding({ migrations: { applied, missing, unknown } }: DatabaseReport): Finding {
  if (unknown.length > 0)
    return wrong(
      "migrations",
      `the database has ${unknown.join(", ")}, which this version of Pawl does not know`,
      "A newer Pawl has migrated this database: run that version.",
    );
  if (missing.length > 0)
    return notable("migrations", `${missing.join(", ")} not applied yet`, "`pawl start` applies them.");
  return fine("migrations", `all ${applied} are applied`);
}

function clocksFinding({ aheadMs }: DatabaseReport): Finding {
  const off = Math.abs(aheadMs);
  if (off < 2_000) return fine("clocks", "the database and this machine agree");
  const found = `the database's clock is ${formatDuration(off)} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`;
  const advice = "Pawl uses the database's clock. Synchronize both with a time server.";
  return off < 60_000 ? notable("clocks", found, advice) : wrong("clocks", found, advice);
}

function connectionsFinding({ connections: { used, max } }: DatabaseReport): Finding {
  const found = `${used} of ${max} are in use`;
  return used > max * 0.9
    ? wrong(
        "connections",
        found,
        "Lower PAWL_DATABASE_CONNECTIONS, raise max_connections of PostgreSQL, or use a connection pooler.",
      )
    : fine("connections", found);
}

function transactionsFinding({ longestTransactionSeconds: seconds }: DatabaseReport): Finding {
  return seconds < LONG_TRANSACTION_SECONDS
    ? fine("transactions", "none has been open for long")
    : notable(
        "transactions",
        `one has been open for ${formatDuration(seconds * 1_000)}`,
        "It may hold locks, and it prevents the cleanup of old rows: find it in pg_stat_activity (xact_start) and end it.",
      );
}

function taskFindings(tasks: NonNullable<DatabaseReport["tasks"]>): Finding[] {
  const { unfinished, sweepLagSeconds, needAttention, orphans, waiting, waitForDeleted, inbox } = tasks;
  const long = waiting.filter(({ oldestSeconds }) => oldestSeconds > LONG_WAIT_SECONDS);
  return [
    sweepLagSeconds < LATE_SWEEP_SECONDS
      ? fine("timers", "none is late")
      : wrong(
          "timers",
          `one expired ${formatDuration(sweepLagSeconds * 1_000)} ago and was not handled`,
          "Check that a server runs and that PAWL_SWEEP_SECONDS is not 0 on all nodes; the server log shows failed sweeps.",
        ),
    fine("tasks", `${unfinished} unfinished`),
    ...orphans.map(({ lifecycle, tasks: amount }) =>
      wrong(
        "tasks",
        `${count(amount, "unfinished task")} of "${lifecycle}", a lifecycle that is not declared here`,
        "Declare it again in pawl.config.ts: until then these tasks cannot be moved.",
      ),
    ),
    ...(waitForDeleted === 0
      ? []
      : [
          wrong(
            "tasks",
            `${count(waitForDeleted, "task waits", "tasks wait")} for a task that no longer exists`,
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
        `${count(amount, `${lifecycle} task`)} free to claim, the oldest for ${formatDuration(oldestSeconds * 1_000)}`,
        "Check that workers run and may claim them: `pawl why <id> <action>` with a worker's token.",
      ),
    ),
    ...inboxFindings(inbox),
  ];
}

function inboxFindings({
  refused,
  waiting,
  oldestSeconds,
}: NonNullable<DatabaseReport["tasks"]>["inbox"]): Finding[] {
  return [
    ...(refused === 0
      ? []
      : [
          notable(
            "inbox",
            `${count(refused, "request")} from SQL refused`,
            "`pawl inbox list` shows the reasons, `pawl inbox retry --all` tries again.",
          ),
        ]),
    ...(waiting === 0 || oldestSeconds < LATE_REQUEST_SECONDS
      ? []
      : [
          wrong(
            "inbox",
            `${count(waiting, "request")} from SQL not decided, the oldest for ${formatDuration(oldestSeconds * 1_000)}`,
            "Check that a server runs that serves the lifecycle, and that PAWL_INBOX_SECONDS is not 0 on all nodes; the server log shows failed requests.",
          ),
        ]),
  ];
}

export function fine(about: string, found: string): Finding {
  return { about, state: "fine", found, advice: null };
}

export function notable(about: string, found: string, advice: string): Finding {
  return { about, state: "notable", found, advice };
}

export function wrong(about: string, found: string, advice: string | null): Finding {
  return { about, state: "wrong", found, advice };
}

function bytes(amount: number): string {
  const gibi = amount / (1_024 * MEBI);
  return gibi >= 1 ? `${gibi.toFixed(gibi < 10 ? 1 : 0)} GB` : `${Math.round(amount / MEBI)} MB`;
}
