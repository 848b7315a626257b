import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import {
  atServer,
  commaSeparated,
  formatHelp,
  positiveInteger,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, ConnectFlags } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { PLANNER_ROUTES } from "../api.ts";
import type { PlannerShift, PlannerShiftPattern } from "../api.ts";
import { MOMENT, moment } from "./moment-option.ts";

type Flags = ConnectFlags & { json?: true };
type SetExit = Parameters<AddCommands>[2];

/** `pawl planner shifts …` */
export function addShiftCommands(planner: Command, environment: CliEnvironment, setExit: SetExit): void {
  const shifts = planner
    .command("shifts")
    .summary("list, plan and change shifts")
    .description("Lists, plans and changes shifts.")
    .addHelpText("after", formatHelp(HELP, environment));
  addReading(shifts, environment, setExit);
  addChanging(shifts, environment, setExit);
  addCopying(shifts, environment, setExit);
  addPatterns(shifts, environment, setExit);
  addRepeating(shifts, environment, setExit);
}

function addReading(shifts: Command, environment: CliEnvironment, setExit: SetExit): void {
  type ListFlags = Flags & { week?: string; project?: string; mine?: true; canceled?: true };
  withServerOptions(shifts.command("list"))
    .summary("list the shifts of a week")
    .description("Lists the shifts of a week.")
    .option("--week <date>", "the week of this date, such as 2026-12-31 (default: today)", isoDate)
    .option("--project <id>", "only shifts of this project")
    .option("--mine", "only your own shifts; executors need it")
    .option("--canceled", "also canceled shifts")
    .action(async ({ json, week, project, mine, canceled, ...flags }: ListFlags) => {
      const range = weekOf(week);
      const exit = await atServer(environment, flags, async ({ client }) => {
        const calls = callsOf(client);
        const rows: PlannerShift[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const query = { ...range, project_id: project, cursor, limit: 200 };
          const page = mine
            ? await calls.listMyShifts(query)
            : await calls.listShifts({ ...query, canceled });
          rows.push(...page.shifts);
          cursor = page.cursor;
        }
        rows.sort((one, other) => one.starts_at.localeCompare(other.starts_at));
        return print(environment.out, {
          json,
          value: { shifts: rows },
          text: () => table(rows, environment),
        });
      });
      setExit(exit);
    });
}

function addChanging(shifts: Command, environment: CliEnvironment, setExit: SetExit): void {
  const run = async (
    flags: Flags,
    work: (calls: Calls) => Promise<{ shift: PlannerShift; released?: string[] }>,
  ) => {
    const { json, ...connect } = flags;
    const exit = await atServer(environment, connect, async ({ client }) => {
      const done = await work(callsOf(client));
      const released = done.released?.length ?? 0;
      const text = () =>
        table([done.shift], environment) + (released > 0 ? `\nReturned to the pool: ${released}.` : "");
      return print(environment.out, { json, value: done, text });
    });
    setExit(exit);
  };
  withServerOptions(shifts.command("plan"))
    .summary("plan a shift")
    .description("Plans a shift.")
    .requiredOption("--from <moment>", MOMENT, moment)
    .requiredOption("--to <moment>", MOMENT, moment)
    .requiredOption("--members <ids>", "members, separated by commas", commaSeparated)
    .option("--project <id>", "the project (default: main)")
    .action(async (given: Flags & { from: string; to: string; members: string[]; project?: string }) => {
      const { from, to, members, project, ...flags } = given;
      const body = { starts_at: from, ends_at: to, members, project_id: project };
      await run(flags, async (calls) => ({ shift: await calls.createShift(body) }));
    });
  withServerOptions(shifts.command("edit <id>"))
    .summary("change the times or members of a shift")
    .description("Changes the times or members of a shift.")
    .option("--from <moment>", MOMENT, moment)
    .option("--to <moment>", MOMENT, moment)
    .option("--members <ids>", "all members, separated by commas", commaSeparated)
    .option("--expect <row_version>", "refuse if the shift has changed since this version", positiveInteger)
    .action(
      async (
        id: string,
        given: Flags & { from?: string; to?: string; members?: string[]; expect?: number },
      ) => {
        const { from: starts_at, to: ends_at, members, expect: expected_row_version, ...flags } = given;
        await run(flags, (calls) =>
          calls.changeShift({ id, starts_at, ends_at, members, expected_row_version }),
        );
      },
    );
  withServerOptions(shifts.command("extend <id>"))
    .summary("move the end of a shift")
    .description("Moves the end of a shift to a later moment.")
    .requiredOption("--to <moment>", MOMENT, moment)
    .action(async (id: string, { to: ends_at, ...flags }: Flags & { to: string }) => {
      await run(flags, (calls) => calls.extendShift({ id, ends_at }));
    });
  withServerOptions(shifts.command("cancel <id>"))
    .summary("cancel a shift that has not begun")
    .description("Cancels a shift that has not begun.")
    .requiredOption("--reason <text>", "shown to its members")
    .action(async (id: string, { reason, ...flags }: Flags & { reason: string }) => {
      await run(flags, (calls) => calls.cancelShift({ id, reason }));
    });
  withServerOptions(shifts.command("end <id>"))
    .summary("end a shift now")
    .description("Ends a shift now; the tasks of its members return to the pool.")
    .action(async (id: string, flags: Flags) => {
      await run(flags, (calls) => calls.endShift({ id }));
    });
}

function addCopying(shifts: Command, environment: CliEnvironment, setExit: SetExit): void {
  withServerOptions(shifts.command("copy"))
    .summary("copy the shifts of a week")
    .description("Copies the shifts of a week, by default of the last one to this one.")
    .option("--from <date>", "the first day of the week to copy (default: Monday of last week)", isoDate)
    .option("--to <date>", "the first day of the new week (default: Monday of this week)", isoDate)
    .option("--project <id>", "the project (default: main)")
    .action(
      async ({
        json,
        from,
        to,
        project,
        ...flags
      }: Flags & { from?: string; to?: string; project?: string }) => {
        const days = { from: from ?? mondayIn(-7), to: to ?? mondayIn(0) };
        const exit = await atServer(environment, flags, async ({ client }) => {
          const calls = callsOf(client);
          const done = await calls.copyShifts({ ...days, project_id: project, time_zone: localZone() });
          const text = () => `${table(done.shifts, environment)}\nLeft out: ${done.skipped.length}.`;
          return print(environment.out, { json, value: done, text });
        });
        setExit(exit);
      },
    );
}

function addPatterns(shifts: Command, environment: CliEnvironment, setExit: SetExit): void {
  withServerOptions(shifts.command("patterns"))
    .summary("list repeating shifts")
    .description("Lists repeating shifts.")
    .option("--project <id>", "only patterns of this project")
    .action(async ({ json, project, ...flags }: Flags & { project?: string }) => {
      const exit = await atServer(environment, flags, async ({ client }) => {
        const { patterns } = await callsOf(client).listShiftPatterns({ project_id: project, limit: 200 });
        return print(environment.out, {
          json,
          value: { patterns },
          text: () => patternTable(patterns, environment),
        });
      });
      setExit(exit);
    });
  withServerOptions(shifts.command("stop-repeating <pattern>"))
    .summary("end a pattern and remove its coming shifts")
    .description("Ends a pattern and removes its coming shifts.")
    .action(async (id: string, { json, ...flags }: Flags) => {
      const exit = await atServer(environment, flags, async ({ client }) => {
        const done = await callsOf(client).endShiftPattern({ id });
        return print(environment.out, { json, value: done, text: () => `Removed shifts: ${done.removed}.` });
      });
      setExit(exit);
    });
}

function addRepeating(shifts: Command, environment: CliEnvironment, setExit: SetExit): void {
  type RepeatFlags = Flags & {
    starts: string;
    ends: string;
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    cycle?: { days_on: number; days_off: number };
    members: string[];
    from?: string;
    until?: string;
    except?: string[];
    zone?: string;
    project?: string;
  };
  withServerOptions(shifts.command("repeat <name>"))
    .summary("repeat a shift")
    .description("Creates a pattern that makes shifts ahead of time.")
    .requiredOption("--starts <time>", "local time, such as 06:00")
    .requiredOption("--ends <time>", "local time; at or before --starts: on the next day")
    .option("--days <weekdays>", "mon,tue,wed,thu,fri,sat,sun", commaSeparated)
    .option("--cycle <on/off>", "days on and off instead of weekdays, such as 2/2", cycle)
    .requiredOption("--members <ids>", "members, separated by commas", commaSeparated)
    .option("--from <date>", "the first date (default: today)", isoDate)
    .option("--until <date>", "the last date", isoDate)
    .option("--except <dates>", "dates without a shift, separated by commas", commaSeparated)
    .option("--zone <time zone>", "such as Europe/Berlin (default: that of this computer)")
    .option("--project <id>", "the project (default: main)")
    .action(async (name: string, given: RepeatFlags) => {
      const {
        json,
        starts,
        ends,
        days,
        cycle: turns,
        members,
        from,
        until,
        except,
        zone,
        project,
        ...flags
      } = given;
      const exit = await atServer(environment, flags, async ({ client }) => {
        const done = await callsOf(client).createShiftPattern({
          name,
          starts,
          ends,
          weekdays: days,
          ...turns,
          members,
          from_date: from ?? localDate(new Date()),
          until_date: until,
          except_dates: except,
          time_zone: zone ?? localZone(),
          project_id: project,
        });
        const text = () => `${patternTable([done.pattern], environment)}\nNew shifts: ${done.added}.`;
        return print(environment.out, { json, value: done, text });
      });
      setExit(exit);
    });
}

function patternTable(patterns: readonly PlannerShiftPattern[], { out }: CliEnvironment): string {
  if (patterns.length === 0) return "No repeating shifts.";
  const head = ["ID", "NAME", "TIMES", "DAYS", "TIME ZONE", "MEMBERS"];
  return textTable(head, patterns.map(patternRow), out);
}

type Calls = ReturnType<typeof callsOf>;

function callsOf(client: Client) {
  return client.calls(PLANNER_ROUTES);
}

function table(shifts: readonly PlannerShift[], { out }: CliEnvironment): string {
  if (shifts.length === 0) return "No shifts.";
  const rows = shifts.map((shift) => [
    shift.id,
    local(shift.starts_at),
    local(shift.ends_at),
    shift.members.join(", "),
    stateOf(shift),
  ]);
  return textTable(["ID", "BEGINS", "ENDS", "MEMBERS", "STATE"], rows, out);
}

function stateOf({ canceled_at, cancel_reason, starts_at, ends_at }: PlannerShift): string {
  if (canceled_at !== null) return `canceled: ${cancel_reason ?? ""}`;
  const now = Date.now();
  return Date.parse(ends_at) <= now ? "ended" : Date.parse(starts_at) <= now ? "running" : "planned";
}

function patternRow(pattern: PlannerShiftPattern): string[] {
  const { id, name, starts, ends, weekdays, days_on, days_off, time_zone, members } = pattern;
  const days = weekdays?.join(",") ?? `${days_on ?? 0} on, ${days_off ?? 0} off`;
  return [id, name, `${starts}–${ends}`, days, time_zone, members.join(", ")];
}

function isoDate(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError("It must be a date such as 2026-12-31.");
  return text;
}

function cycle(text: string): { days_on: number; days_off: number } {
  const [, on, off] = /^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? [];
  if (on === undefined) throw new InvalidArgumentError("It must be days on and off, such as 2/2.");
  return { days_on: Number(on), days_off: Number(off) };
}

/** Returns the local Monday of the week, moved by days. */
function mondayIn(days: number, of = new Date()): string {
  const { year, month, day } = { year: of.getFullYear(), month: of.getMonth(), day: of.getDate() };
  return localDate(new Date(year, month, day - ((of.getDay() + 6) % 7) + days));
}

function weekOf(date: string | undefined): { from: string; to: string } {
  const of = date === undefined ? new Date() : new Date(`${date}T12:00`);
  const start = (text: string) => new Date(`${text}T00:00`).toISOString();
  return { from: start(mondayIn(0, of)), to: start(mondayIn(7, of)) };
}

function localDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function local(text: string): string {
  const date = new Date(text);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${localDate(date)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const HELP = `
Examples:
  pawl planner shifts list --week 2026-12-31
  pawl planner shifts list --mine                       your own shifts
  pawl planner shifts plan --from 2026-12-31T06:00 --to 2026-12-31T14:00 --members bob,cat
  pawl planner shifts extend <id> --to 2026-12-31T16:00
  pawl planner shifts repeat Early --starts 06:00 --ends 14:00 --days mon,tue,wed,thu,fri --members bob,cat
  pawl planner shifts copy                              last week's shifts, this week`;
