// The rounds of work and review.
import type { Floor, Person, Task } from "./floor.ts";

/** Ids of the tasks that a lead has reviewed at least once. */
const reviewed = new Set<string>();

/** Works in rounds of an hour: every worker takes one step, then the lead reviews. Ends early if all are idle. */
export async function work(
  floor: Floor,
  lead: Person,
  crew: readonly Person[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const busy = await Promise.all(crew.map((person) => step(floor, person)));
    floor.advanceClock();
    for (const task of await floor.listTasks("submitted")) await review(floor, lead, task);
    if (!busy.includes(true)) return;
  }
}

/** Submits the person's task, or claims and starts the best free one; returns false if there is nothing to do. */
async function step(floor: Floor, person: Person): Promise<boolean> {
  const [mine] = await floor.listTasks("assigned,in_progress", `&assigned_to=${person.id}`);
  if (!mine) {
    const { task } = await person.call("POST /claims", { project_id: floor.project_id });
    if (!task) return false;
    floor.log(`${person.name} takes "${floor.nameOf(task as Task)}".`);
    await person.act(task as Task, "start");
    return true;
  }
  if (mine.holds.length > 0) return false;
  await person.act(mine, mine.status === "assigned" ? "start" : "submit", {
    resolution: "done as specified",
  });
  return true;
}

/** Approves a task, but rejects every seventh one of the frames at its first review. */
async function review(floor: Floor, lead: Person, task: Task): Promise<void> {
  const isExempt = reviewed.has(task.id) || task.kind === "fix" || task.deliverable_id === null;
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
    `${lead.name} rejects "${floor.nameOf(task)}": ${defect.description}; "${(fix_task as Task).title}" is added to the pool.`,
  );
}

/** Starts a shift that is running now; the planned ones are in the coming week. */
export async function startShift(floor: Floor, lead: Person, crew: readonly Person[]): Promise<string> {
  const [starts_at, ends_at] = [Date.now() - 60_000, Date.now() + 8 * 3_600_000].map((at) =>
    new Date(at).toISOString(),
  );
  const members = crew.map(({ id }) => id);
  const shift = { project_id: floor.project_id, starts_at, ends_at, members };
  floor.log(`The shift of ${crew.map(({ name }) => name).join(", ")} begins.`);
  return String((await lead.call("POST /shifts", shift)).id);
}

/** Ends a shift; returns the ids of the tasks that stayed with their owners. */
export async function endShift(floor: Floor, lead: Person, shift: string): Promise<string[]> {
  const { released, kept } = (await lead.call(`POST /shifts/${shift}/end`, {})) as {
    released: string[];
    kept: { task_id: string; detail: string }[];
  };
  floor.log(`The shift is over; tasks returned to the pool: ${released.length}.`);
  for (const { task_id, detail } of kept)
    floor.log(`  "${floor.nameOf(await floor.getTask(task_id))}" stays with its owner: ${detail}`);
  return kept.map(({ task_id }) => task_id);
}
