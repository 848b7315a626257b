// A week on a shop floor: two crews, eight frames of five tasks each, shifts, imports, due dates, defects, quality control and figures.
//   PAWL_SWEEP_SECONDS=1 npx pawl start
//   PAWL_URL=http://127.0.0.1:4747 PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/planner-week/run.ts
import { Floor } from "./floor.ts";
import type { Person } from "./floor.ts";
import { copyWeek, importMaintenance, planFrames, planShifts, setDueDates } from "./plan-week.ts";
import {
  callForHelp,
  cancelBlocker,
  holdForSteel,
  inspectFrames,
  releaseHeldTasks,
  reportLateDefect,
  settleAttention,
} from "./troubles.ts";
import { endShift, startShift, work } from "./work.ts";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const floor = new Floor(url, token);
await floor.createProject();

const executor = (skill_level: number, ...specializations: string[]) => ({
  roles: ["executor"],
  skill_level,
  specializations,
});
const lea = await floor.addMember("lea", { roles: ["lead"] });
const lou = await floor.addMember("lou", { roles: ["lead"] });
const quentin = await floor.addMember("quentin", { roles: ["supervisor"] });
const ann = await floor.addMember("ann", executor(8, "welder"));
const bob = await floor.addMember("bob", executor(5, "welder", "painter"));
const cy = await floor.addMember("cy", executor(4, "painter"));
const early = [ann, bob, cy];
const late: Person[] = [];
for (const [name, skill, ...trades] of [
  ["dee", 9, "welder"],
  ["eli", 5, "welder", "painter"],
  ["fay", 4, "painter"],
] as const)
  late.push(await floor.addMember(name, executor(skill, ...trades)));

// The week before.
floor.moveClockTo(4, 15);
await planShifts(floor, lea, { Early: early, Late: late });
await planFrames(floor, lea);
await importMaintenance(floor, lea);
await setDueDates(floor, lea);

// Monday.
floor.moveClockTo(0, 6);
let shift = await startShift(floor, lea, early);
await work(floor, lea, early, 3);
await holdForSteel(floor, lea);
await callForHelp(floor, bob);
await settleAttention(floor, lea, cy);
await work(floor, lea, early, 4);
const kept = await endShift(floor, lea, shift);

floor.moveClockTo(0, 14);
shift = await startShift(floor, lou, late);
await work(floor, lou, late, 2);
await releaseHeldTasks(floor, lou, kept);
const ends_at = new Date(Date.now() + 9 * 3_600_000).toISOString();
await lou.call(`POST /shifts/${shift}/extend`, { ends_at });
floor.log("Lou extends the shift by an hour.");
await work(floor, lou, late, 7);
await endShift(floor, lou, shift);

// Tuesday.
floor.moveClockTo(1, 6);
shift = await startShift(floor, lea, early);
await cancelBlocker(floor, lea);
await settleAttention(floor, lea, cy);
await work(floor, lea, early, 8);
await endShift(floor, lea, shift);
floor.moveClockTo(1, 14);
shift = await startShift(floor, lou, late);
await work(floor, lou, late, 8);
await endShift(floor, lou, shift);

// Thursday, after the holiday.
floor.moveClockTo(3, 6);
shift = await startShift(floor, lea, early);
await reportLateDefect(floor, lea);
await work(floor, lea, early, 8);
await endShift(floor, lea, shift);
floor.moveClockTo(3, 14);
shift = await startShift(floor, lou, late);
await work(floor, lou, late, 8);
await endShift(floor, lou, shift);

// Friday.
floor.moveClockTo(4, 6);
shift = await startShift(floor, lea, early);
await work(floor, lea, early, 200);
await inspectFrames(floor, quentin, lea, early);
await settleAttention(floor, lea, cy);
await endShift(floor, lea, shift);
await copyWeek(floor, lea);
await showStatistics();

const all = await floor.listTasks();
const left = all.filter(({ status }) => status !== "done" && status !== "canceled");
const { defects } = (await lea.call(`GET /defects?project_id=${floor.project_id}`)) as {
  defects: { fixed_at: string | null }[];
};
const open = defects.filter(({ fixed_at }) => fixed_at === null);
const count = (status: string) => all.filter((task) => task.status === status).length;
floor.log(`${all.length} tasks: ${count("done")} done, ${count("canceled")} canceled, ${left.length} left.`);
floor.log(`${defects.length} defects, ${open.length} of them open.`);
console.log(left.length + open.length === 0 ? "The week is done." : "Some tasks or defects are still open.");
process.exitCode = left.length + open.length === 0 ? 0 : 1;

/** Prints the figures that `pawl planner stats` and the tab Statistics show. */
async function showStatistics(): Promise<void> {
  const stats = (await lea.call(`GET /stats?project_id=${floor.project_id}`)) as {
    done: number;
    rejected: number;
    first_pass_yield: number;
    rework_rate: number;
    people: { member_id: string; done: number; rejected: number }[];
  };
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  floor.log(
    `Statistics: ${stats.done} approved, ${stats.rejected} rejected, first-pass yield ${percent(stats.first_pass_yield)}, rework ${percent(stats.rework_rate)}.`,
  );
  for (const { member_id, done, rejected } of stats.people)
    if (done > 0) floor.log(`  ${floor.memberName(member_id)}: ${done} approved, ${rejected} rejected`);
}
