// A day on a shop floor: two crews, eight frames of five tasks each, a shift change, defects, and quality control.
//   PAWL_SWEEP_SECONDS=1 npx pawl start
//   PAWL_URL=http://127.0.0.1:4747 PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/planner-day/run.ts
import { setTimeout as pause } from "node:timers/promises";
import { Floor } from "./floor.ts";
import type { Person, Task } from "./floor.ts";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const floor = new Floor(url, token);
const { project_id } = floor;
await floor.createProject();

const executor = (skill_level: number, ...specializations: string[]) => ({
  roles: ["executor"],
  skill_level,
  specializations,
});
const lea = await floor.addMember("lea", { roles: ["lead"] });
const lou = await floor.addMember("lou", { roles: ["lead"] });
const quentin = await floor.addMember("quentin", { roles: ["supervisor"] });
const early = await Promise.all([
  floor.addMember("ann", executor(8, "welder")),
  floor.addMember("bob", executor(5, "welder", "painter")),
  floor.addMember("cy", executor(4, "painter")),
]);
const late = await Promise.all([
  floor.addMember("dee", executor(9, "welder")),
  floor.addMember("eli", executor(5, "welder", "painter")),
  floor.addMember("fay", executor(4, "painter")),
]);
const names = new Map([lea, lou, quentin, ...early, ...late].map(({ id, name }) => [id, name]));

/** Ids of the tasks that a lead has reviewed at least once. */
const reviewed = new Set<string>();

const FRAMES = 8;
const STEPS: [work: string, trade: string | null][] = [
  ["Cut", "welder"],
  ["Weld", "welder"],
  ["Grind", "welder"],
  ["Paint", "painter"],
  ["Check", null],
];
const deliverables: string[] = [];
for (let frame = 1; frame <= FRAMES; frame++) {
  const { id } = await lea.call("POST /deliverables", { project_id, type: "frame", serial: `F-${frame}` });
  deliverables.push(String(id));
  let before: string[] = [];
  for (const [work, required_trade] of STEPS) {
    const title = `${work} frame ${frame}`;
    const fields = {
      project_id,
      title,
      required_trade,
      deliverable_id: id,
      depends_on: before,
      priority: FRAMES - frame,
    };
    before = [String((await lea.call("POST /tasks", fields)).id)];
  }
}
floor.log(
  `Lea has planned ${FRAMES * STEPS.length} tasks; ${(await listTasks("available")).length} can begin, the others wait.`,
);

const startShift = async (lead: Person, crew: Person[], hours: number) => {
  const [starts_at, ends_at] = [Date.now() - 60_000, Date.now() + hours * 3_600_000].map((at) =>
    new Date(at).toISOString(),
  );
  const members = crew.map(({ id }) => id);
  return String((await lead.call("POST /shifts", { project_id, starts_at, ends_at, members })).id);
};

// Early shift.
const morning = await startShift(lea, early, 8);
floor.log("The early shift begins: ann, bob and cy.");
await work(lea, early, 7);
await holdForSteel();
await requestHelp();
await work(lea, early, 5);
await cancelBlocker();
await work(lea, early, 12);

// Shift change.
const { released, kept } = (await lea.call(`POST /shifts/${morning}/end`, {})) as {
  released: string[];
  kept: { task_id: string; detail: string }[];
};
floor.log(`The early shift is over; tasks returned to the pool: ${released.length}.`);
for (const { task_id, detail } of kept)
  floor.log(`  "${(await getTask(task_id)).title}" stays with its owner: ${detail}`);
await startShift(lou, late, 8);
floor.log("The late shift begins: dee, eli and fay.");
await work(lou, late, 3);
await releaseHeldTasks(kept.map(({ task_id }) => task_id));
await reportLateDefect();
await work(lou, late, 200);

// Quality control inspects the frames; it does not move tasks.
for (const [index, id] of deliverables.entries()) {
  await lou.call(`POST /deliverables/${id}/submit`, {});
  if (index === 1) await rejectFrame(id);
  await quentin.call(`POST /deliverables/${id}/inspections`, {
    result: "approved",
    measurements: { gap_mm: 0.4 },
  });
}
floor.log(`Quentin has approved ${deliverables.length} frames.`);

const all = await listTasks();
const left = all.filter(({ status }) => status !== "done" && status !== "canceled");
const { defects } = (await lea.call(`GET /defects?project_id=${project_id}`)) as {
  defects: { fixed_at: string | null }[];
};
const open = defects.filter(({ fixed_at }) => fixed_at === null);
const count = (status: string) => all.filter((task) => task.status === status).length;
floor.log(`${all.length} tasks: ${count("done")} done, ${count("canceled")} canceled, ${left.length} left.`);
floor.log(`${defects.length} defects, ${open.length} of them open.`);
console.log(left.length + open.length === 0 ? "The day is done." : "Some tasks or defects are still open.");
process.exitCode = left.length + open.length === 0 ? 0 : 1;

/** Works in rounds of 20 minutes: every worker takes one step, then the lead reviews. Ends early if all are idle. */
async function work(lead: Person, crew: readonly Person[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const busy = await Promise.all(crew.map(step));
    floor.advanceClock(20);
    for (const task of await listTasks("submitted")) await review(lead, task);
    if (!busy.includes(true)) return;
  }
}

/** Submits the person's task, or claims and starts the best free one; returns false if there is nothing to do. */
async function step(person: Person): Promise<boolean> {
  const [mine] = await listTasks("assigned,in_progress", `&assigned_to=${person.id}`);
  if (!mine) {
    const { task } = (await person.call("POST /claims", { project_id })) as { task: Task | null };
    if (!task) return false;
    floor.log(`${person.name} takes "${task.title}".`);
    await person.act(task, "start");
    return true;
  }
  if (mine.holds.length > 0) return false;
  await person.act(mine, "submit", { resolution: "done as specified" });
  return true;
}

/** Approves a task, but rejects every seventh one at its first review. */
async function review(lead: Person, task: Task): Promise<void> {
  const isExempt = reviewed.has(task.id) || task.title.startsWith("Fix");
  if (isExempt || reviewed.add(task.id).size % 7 !== 0) {
    await lead.act(task, "review_approve");
    return;
  }
  const defect = {
    description: "a crack along the seam",
    cause: "too hot",
    what_to_fix: "grind it out and weld it again",
  };
  const { fix_task } = await lead.act(task, "review_reject", { reason: "a crack", defect, create_fix: true });
  floor.log(
    `${lead.name} rejects "${task.title}": ${defect.description}; "${(fix_task as Task).title}" is added to the pool.`,
  );
}

async function holdForSteel(): Promise<void> {
  const [task] = (await listTasks("assigned,in_progress")).filter((one) => ownerName(one) !== "bob");
  if (!task) throw new Error("no task is in progress");
  await lea.call(`POST /tasks/${task.id}/holds`, { kind: "materials", reason: "the steel has not arrived" });
  floor.log(
    `The steel for "${task.title}" has not arrived: Lea puts the task on hold. ${ownerName(task)} keeps it.`,
  );
}

async function releaseHeldTasks(kept: readonly string[]): Promise<void> {
  for (const id of kept) {
    const { holds, title } = await getTask(id);
    for (const hold of holds) await lou.call(`DELETE /tasks/${id}/holds/${hold.id}`);
    floor.log(
      `The steel has arrived: Lou releases the hold on "${title}", and Pawl returns the task to the pool.`,
    );
    // The next sweep returns it, because its owner's shift is over.
    for (
      let now = await getTask(id);
      early.some((one) => one.id === now.assigned_to);
      now = await getTask(id)
    )
      await pause(200);
  }
}

async function requestHelp(): Promise<void> {
  const [bob] = early.filter(({ name }) => name === "bob");
  const [task] = bob ? await listTasks("assigned,in_progress", `&assigned_to=${bob.id}`) : [];
  if (!bob || !task) return;
  const { escalation } = (await bob.call(`POST /tasks/${task.id}/escalations`, {
    reason: "help_needed",
    text: "too heavy for one person",
  })) as { escalation: { id: string } };
  floor.log(`bob calls for help with "${task.title}": too heavy for one person.`);
  await lea.call(`POST /tasks/${task.id}/contributors`, { member_id: early[2].id });
  await lea.call(`POST /tasks/${task.id}/escalations/${escalation.id}/resolve`, { note: "cy helps" });
  floor.log("Lea sends cy to help.");
}

async function cancelBlocker(): Promise<void> {
  const [cut] = (await listTasks("available")).filter(({ title }) => title === `Cut frame ${FRAMES}`);
  if (!cut) throw new Error("the last frame is already being cut");
  await lea.act(cut, "cancel", { reason: "the parts were delivered already cut" });
  const waiting = (await listTasks("blocked", "&needs_attention=true")).filter((one) =>
    one.depends_on.includes(cut.id),
  );
  for (const { id, title } of waiting) {
    floor.log(
      `Lea cancels "${cut.title}": the parts were delivered already cut. "${title}" would wait for it forever.`,
    );
    await lea.call(`DELETE /tasks/${id}/depends_on/${cut.id}`);
    floor.log(`Lea removes the dependency: "${title}" is ${(await getTask(id)).status}.`);
  }
}

async function reportLateDefect(): Promise<void> {
  const [task] = (await listTasks("done")).filter(({ title }) => title.startsWith("Weld"));
  if (!task) return;
  const defect = { description: "an open seam", severity: "critical" };
  await lou.call(`POST /tasks/${task.id}/fix`, { defect });
  floor.log(`Lou finds an open seam in "${task.title}", hours after it was done, and creates a fix-task.`);
}

async function rejectFrame(id: string): Promise<void> {
  const [task] = await listTasks("done", `&deliverable_id=${id}`);
  const defect = { description: "3 mm out of square" };
  const inspection = {
    result: "rejected",
    measurements: { out_of_square_mm: 3 },
    task_id: task?.id,
    defect,
    create_fix: true,
  };
  await quentin.call(`POST /deliverables/${id}/inspections`, inspection);
  floor.log(
    "Quentin measures frame 2: it is 3 mm out of square. Quentin rejects it, and a fix-task is created.",
  );
  await work(lou, late, 20);
  await lou.call(`POST /deliverables/${id}/submit`, {});
}

/** Lists the project's tasks in the given statuses (default: all), oldest first. */
async function listTasks(status = "", more = ""): Promise<Task[]> {
  const filter = status === "" ? "" : `&status=${status}`;
  const found = await lea.call(`GET /tasks?project_id=${project_id}&limit=200${filter}${more}`);
  return found.tasks as Task[];
}

async function getTask(id: string): Promise<Task> {
  return (await lea.call(`GET /tasks/${id}`)) as Task;
}

function ownerName({ assigned_to }: Task): string {
  return names.get(assigned_to ?? "") ?? "no owner";
}
