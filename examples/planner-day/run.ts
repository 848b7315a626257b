// A day on a shop floor: two crews, eight frames of five tasks each, a shift change, defects, and quality control.
//   PAWL_SWEEP_SECONDS=1 npx pawl start
//   PAWL_URL=http://127.0.0.1:4747 PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/planner-day/run.ts
import { setTimeout as rest } from "node:timers/promises";
import { Floor } from "./floor.ts";
import type { Person, Task } from "./floor.ts";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const floor = new Floor(url, token);
const { project_id } = floor;
await floor.open();

const executor = (skill_level: number, ...specializations: string[]) => ({
  roles: ["executor"],
  skill_level,
  specializations,
});
const lea = await floor.hire("lea", { roles: ["lead"] });
const lou = await floor.hire("lou", { roles: ["lead"] });
const quentin = await floor.hire("quentin", { roles: ["supervisor"] });
const early = await Promise.all([
  floor.hire("ann", executor(8, "welder")),
  floor.hire("bob", executor(5, "welder", "painter")),
  floor.hire("cy", executor(4, "painter")),
]);
const late = await Promise.all([
  floor.hire("dee", executor(9, "welder")),
  floor.hire("eli", executor(5, "welder", "painter")),
  floor.hire("fay", executor(4, "painter")),
]);
const names = new Map([lea, lou, quentin, ...early, ...late].map(({ id, name }) => [id, name]));

/** Looked at by a lead, so far. */
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
  const { id } = await lea.ask("POST /deliverables", { project_id, type: "frame", serial: `F-${frame}` });
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
    before = [String((await lea.ask("POST /tasks", fields)).id)];
  }
}
floor.tell(
  `Lea has planned ${FRAMES * STEPS.length} tasks; ${(await tasks("available")).length} can begin, the others wait.`,
);

const shiftOf = async (lead: Person, crew: Person[], hours: number) => {
  const [starts_at, ends_at] = [Date.now() - 60_000, Date.now() + hours * 3_600_000].map((at) =>
    new Date(at).toISOString(),
  );
  const members = crew.map(({ id }) => id);
  return String((await lead.ask("POST /shifts", { project_id, starts_at, ends_at, members })).id);
};

// The early shift.
const morning = await shiftOf(lea, early, 8);
floor.tell("The early shift begins: ann, bob and cy.");
await work(lea, early, 7);
await steelIsMissing();
await helpIsNeeded();
await work(lea, early, 5);
await oneIsCanceled();
await work(lea, early, 12);

// The change of shifts.
const { released, kept } = (await lea.ask(`POST /shifts/${morning}/end`, {})) as {
  released: string[];
  kept: { task_id: string; detail: string }[];
};
floor.tell(
  `The early shift is over; what its members had in hand goes back to the pool: ${released.length}.`,
);
for (const { task_id, detail } of kept)
  floor.tell(`  "${(await look(task_id)).title}" stays where it is: ${detail}`);
await shiftOf(lou, late, 8);
floor.tell("The late shift begins: dee, eli and fay.");
await work(lou, late, 3);
await steelHasCome(kept.map(({ task_id }) => task_id));
await lateDefect();
await work(lou, late, 200);

// Quality control looks at what was made, and moves no task.
for (const [index, id] of deliverables.entries()) {
  await lou.ask(`POST /deliverables/${id}/submit`, {});
  if (index === 1) await rejectFrame(id);
  await quentin.ask(`POST /deliverables/${id}/inspections`, {
    result: "approved",
    measurements: { gap_mm: 0.4 },
  });
}
floor.tell(`Quentin has approved ${deliverables.length} frames.`);

const all = await tasks();
const left = all.filter(({ status }) => status !== "done" && status !== "canceled");
const { defects } = (await lea.ask(`GET /defects?project_id=${project_id}`)) as {
  defects: { fixed_at: string | null }[];
};
const open = defects.filter(({ fixed_at }) => fixed_at === null);
const count = (status: string) => all.filter((task) => task.status === status).length;
floor.tell(`${all.length} tasks: ${count("done")} done, ${count("canceled")} canceled, ${left.length} left.`);
floor.tell(`${defects.length} defects, ${open.length} of them open.`);
console.log(left.length + open.length === 0 ? "The day is done." : "Something was left undone.");
process.exitCode = left.length + open.length === 0 ? 0 : 1;

/** So many thirds of an hour: everybody does his next step at once, then the lead reviews; until nothing is left to do. */
async function work(lead: Person, crew: readonly Person[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const busy = await Promise.all(crew.map(step));
    floor.pass(20);
    for (const task of await tasks("submitted")) await review(lead, task);
    if (!busy.includes(true)) return;
  }
}

/** Goes on with what he has in hand, or takes the best that is free for him; false where there is nothing for him. */
async function step(person: Person): Promise<boolean> {
  const [mine] = await tasks("assigned,in_progress", `&assigned_to=${person.id}`);
  if (!mine) {
    const { task } = (await person.ask("POST /claims", { project_id })) as { task: Task | null };
    if (!task) return false;
    floor.tell(`${person.name} takes "${task.title}".`);
    await person.act(task, "start");
    return true;
  }
  if (mine.holds.length > 0) return false;
  await person.act(mine, "submit", { resolution: "done as it should be" });
  return true;
}

/** Every seventh task has something wrong with it the first time it is looked at. */
async function review(lead: Person, task: Task): Promise<void> {
  const again = reviewed.has(task.id) || task.title.startsWith("Fix");
  if (again || reviewed.add(task.id).size % 7 !== 0) {
    await lead.act(task, "review_approve");
    return;
  }
  const defect = {
    description: "a crack along the seam",
    cause: "too hot",
    what_to_fix: "grind it out and weld anew",
  };
  const { fix_task } = await lead.act(task, "review_reject", { reason: "a crack", defect, create_fix: true });
  floor.tell(
    `${lead.name} rejects "${task.title}": ${defect.description}; "${(fix_task as Task).title}" goes into the pool.`,
  );
}

async function steelIsMissing(): Promise<void> {
  const [task] = (await tasks("assigned,in_progress")).filter((one) => whose(one) !== "bob");
  if (!task) throw new Error("nobody works");
  await lea.ask(`POST /tasks/${task.id}/holds`, { kind: "materials", reason: "the steel has not come" });
  floor.tell(`The steel for "${task.title}" has not come: Lea holds it up. It stays with ${whose(task)}.`);
}

async function steelHasCome(kept: readonly string[]): Promise<void> {
  for (const id of kept) {
    const { holds, title } = await look(id);
    for (const hold of holds) await lou.ask(`DELETE /tasks/${id}/holds/${hold.id}`);
    floor.tell(`The steel has come: Lou releases "${title}", and Pawl gives it back to the pool.`);
    // By the next sweep: its owner went home hours ago.
    for (let now = await look(id); early.some((one) => one.id === now.assigned_to); now = await look(id))
      await rest(200);
  }
}

async function helpIsNeeded(): Promise<void> {
  const [bob] = early.filter(({ name }) => name === "bob");
  const [task] = bob ? await tasks("assigned,in_progress", `&assigned_to=${bob.id}`) : [];
  if (!bob || !task) return;
  const { escalation } = (await bob.ask(`POST /tasks/${task.id}/escalations`, {
    reason: "help_needed",
    text: "too heavy for one",
  })) as { escalation: { id: string } };
  floor.tell(`bob calls for help with "${task.title}": too heavy for one.`);
  await lea.ask(`POST /tasks/${task.id}/contributors`, { member_id: early[2].id });
  await lea.ask(`POST /tasks/${task.id}/escalations/${escalation.id}/resolve`, { note: "cy lends a hand" });
  floor.tell("Lea sends cy to lend a hand.");
}

async function oneIsCanceled(): Promise<void> {
  const [cut] = (await tasks("available")).filter(({ title }) => title === `Cut frame ${FRAMES}`);
  if (!cut) throw new Error("somebody has cut the last frame already");
  await lea.act(cut, "cancel", { reason: "its parts were delivered cut" });
  const waiting = (await tasks("blocked", "&needs_attention=true")).filter((one) =>
    one.depends_on.includes(cut.id),
  );
  for (const { id, title } of waiting) {
    floor.tell(
      `Lea cancels "${cut.title}": its parts were delivered cut. "${title}" would wait for it for ever.`,
    );
    await lea.ask(`DELETE /tasks/${id}/depends_on/${cut.id}`);
    floor.tell(`Lea removes the dependency: "${title}" is ${(await look(id)).status}.`);
  }
}

async function lateDefect(): Promise<void> {
  const [task] = (await tasks("done")).filter(({ title }) => title.startsWith("Weld"));
  if (!task) return;
  const defect = { description: "a seam that opens", severity: "critical" };
  await lou.ask(`POST /tasks/${task.id}/fix`, { defect });
  floor.tell(`Lou finds a seam of "${task.title}" that opens, hours after it was done: it is to be mended.`);
}

async function rejectFrame(id: string): Promise<void> {
  const [task] = await tasks("done", `&deliverable_id=${id}`);
  const defect = { description: "out of true by 3 mm" };
  const found = {
    result: "rejected",
    measurements: { out_of_true_mm: 3 },
    task_id: task?.id,
    defect,
    create_fix: true,
  };
  await quentin.ask(`POST /deliverables/${id}/inspections`, found);
  floor.tell("Quentin measures frame 2: it is out of true by 3 mm. He rejects it, and somebody mends it.");
  await work(lou, late, 20);
  await lou.ask(`POST /deliverables/${id}/submit`, {});
}

/** The project's tasks in some statuses, oldest first. */
async function tasks(status = "", more = ""): Promise<Task[]> {
  const filter = status === "" ? "" : `&status=${status}`;
  const found = await lea.ask(`GET /tasks?project_id=${project_id}&limit=200${filter}${more}`);
  return found.tasks as Task[];
}

async function look(id: string): Promise<Task> {
  return (await lea.ask(`GET /tasks/${id}`)) as Task;
}

function whose({ assigned_to }: Task): string {
  return names.get(assigned_to ?? "") ?? "nobody";
}
