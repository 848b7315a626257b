// The plan of the lead: shifts, frames, maintenance and due dates.
import { readFile } from "node:fs/promises";
import type { Floor, Person, Task } from "./floor.ts";

const FRAMES = 8;
const TIME_ZONE = "Europe/Berlin";
const DAY_MS = 86_400_000;

/** Monday of the coming week. */
const MONDAY = Date.now() + ((8 - new Date().getUTCDay()) % 7 || 7) * DAY_MS;
const dateOf = (day: number) => new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10);

type Shift = { id: string; starts_at: string; members: string[] };

/** Plans two shifts a day, except on Wednesday, a holiday; then changes two of them and adds one. */
export async function planShifts(floor: Floor, lea: Person, crews: Record<string, Person[]>): Promise<void> {
  const { project_id } = floor;
  const hours = { Early: ["06:00", "14:00"], Late: ["14:00", "22:00"] } as const;
  let planned = 0;
  for (const [name, [starts, ends]] of Object.entries(hours)) {
    const pattern = {
      project_id,
      name,
      starts,
      ends,
      time_zone: TIME_ZONE,
      weekdays: ["mon", "tue", "wed", "thu", "fri"],
      from_date: dateOf(0),
      until_date: dateOf(4),
      except_dates: [dateOf(2)],
      members: (crews[name] ?? []).map(({ id }) => id),
    };
    planned += Number((await lea.call("POST /shift-patterns", pattern)).added);
  }
  floor.log(`Lea repeats an early and a late shift: ${planned} shifts, none on Wednesday, a holiday.`);

  const fay = floor.people.find(({ name }) => name === "fay");
  const { shifts } = (await fay?.call(`GET /my-shifts?project_id=${project_id}`)) as { shifts: Shift[] };
  const [monday] = shifts;
  const friday = shifts.at(-1);
  if (!fay || !monday || !friday) throw new Error("fay has no shifts");
  floor.log(`fay sees only own shifts: ${shifts.length}.`);
  const members = monday.members.filter((id) => id !== fay.id);
  await lea.call(`PATCH /shifts/${monday.id}`, { members });
  await lea.call(`POST /shifts/${friday.id}/cancel`, { reason: "stock-taking" });
  floor.log("fay is away on Monday evening, and stock-taking cancels the late shift of Friday.");

  const at = (hour: string) => `${dateOf(5)}T${hour}:00+01:00`;
  const saturday = { project_id, starts_at: at("08:00"), ends_at: at("12:00"), members };
  await lea.call("POST /shifts", saturday);
  floor.log("Lea adds a shift on Saturday.");
}

/** Copies the week; patterns make their own shifts of the next one. */
export async function copyWeek(floor: Floor, lea: Person): Promise<void> {
  const { project_id } = floor;
  const week = { project_id, from: dateOf(0), to: dateOf(7), time_zone: TIME_ZONE };
  const { shifts, skipped } = (await lea.call("POST /shifts/copy", week)) as Record<string, object[]>;
  floor.log(
    `Lea copies the week: ${shifts?.length ?? 0} shift, and ${skipped?.length ?? 0} are left to their patterns.`,
  );
}

/** Creates the frames from a template, each with its tasks in one call. */
export async function planFrames(floor: Floor, lea: Person): Promise<void> {
  const { project_id } = floor;
  const step = (ref: string, trade: string | null, minutes: number, before?: string) => ({
    ref,
    title: ref,
    required_trade: trade,
    estimate_minutes: minutes,
    depends_on: before === undefined ? [] : [before],
  });
  const tasks = [
    step("Cut", "welder", 60),
    step("Weld", "welder", 120, "Cut"),
    step("Grind", "welder", 60, "Weld"),
    step("Paint", "painter", 60, "Grind"),
    step("Check", null, 30, "Paint"),
  ];
  const template = await lea.call("POST /templates", { project_id, name: "Frame", type: "frame", tasks });
  for (let number = 1; number <= FRAMES; number++) {
    const serial = `F-${number}`;
    const { deliverable } = await lea.call(`POST /templates/${String(template.id)}/instances`, { serial });
    floor.serials.set((deliverable as { id: string }).id, serial);
  }
  const planned = await floor.listTasks();
  const free = planned.filter(({ status }) => status === "available");
  floor.log(`Lea plans ${FRAMES} frames from a template: ${planned.length} tasks, ${free.length} can begin.`);
}

/** Imports maintenance work from a table. Its first version has a mistake. */
export async function importMaintenance(floor: Floor, lea: Person): Promise<void> {
  const { project_id } = floor;
  const path = new URL("maintenance.csv", import.meta.url);
  const csv = await readFile(path, "utf8");
  const preview = await lea.call("POST /imports/preview", { project_id, csv });
  for (const { line, column, message } of preview.mistakes as Record<string, string>[])
    floor.log(`The table of maintenance work has a mistake in line ${line}, ${column}: ${message}`);
  const { tasks } = await lea.call("POST /imports", { project_id, csv: csv.replace("an hour", "60") });
  floor.log(`Lea corrects it and imports ${(tasks as Task[]).length} tasks.`);
}

/** Gives each frame a due date. One is impossible by the estimates, so Pawl warns before anything is late. */
export async function setDueDates(floor: Floor, lea: Person): Promise<void> {
  const setDue = async ({ id }: Task, hours: number) => {
    const { row_version } = await floor.getTask(id);
    const due_at = new Date(Date.now() + hours * 3_600_000).toISOString();
    await lea.call(`PATCH /tasks/${id}`, { due_at, expected_row_version: row_version });
  };
  const checks = (await floor.listTasks()).filter(({ title }) => title === "Check");
  for (const check of checks) await setDue(check, floor.nameOf(check) === "Check F-8" ? 2 : 7 * 24);
  const { groups } = await lea.call(`GET /attention?project_id=${floor.project_id}&kind=will_be_late`);
  const [late] = groups as { items: { task: Task }[] }[];
  for (const { task } of late?.items ?? []) {
    floor.log(
      `"${floor.nameOf(task)}" is due in two hours, but will be late: the work before it takes longer.`,
    );
    await setDue(task, 7 * 24);
    floor.log("Lea agrees on a later date.");
  }
}
