// Troubles of the week, and how the leads settle them.
import { setTimeout as pause } from "node:timers/promises";
import type { Floor, Person, Task } from "./floor.ts";
import { work } from "./work.ts";

/** Puts a task on hold; its owner keeps it. */
export async function holdForSteel(floor: Floor, lead: Person): Promise<void> {
  const [task] = (await floor.listTasks("assigned,in_progress")).filter(
    (one) => floor.memberName(one.assigned_to) === "ann",
  );
  if (!task) throw new Error("ann has no task");
  await lead.call(`POST /tasks/${task.id}/holds`, { kind: "materials", reason: "the steel has not arrived" });
  floor.log(
    `The steel for "${floor.nameOf(task)}" has not arrived: Lea puts the task on hold. ann keeps it.`,
  );
}

/** Releases the holds of tasks that stayed with their owners; the next sweep returns them to the pool. */
export async function releaseHeldTasks(floor: Floor, lead: Person, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const task = await floor.getTask(id);
    for (const hold of task.holds) await lead.call(`DELETE /tasks/${id}/holds/${hold.id}`);
    floor.log(
      `The steel has arrived: Lou releases the hold on "${floor.nameOf(task)}", and Pawl returns the task to the pool.`,
    );
    while ((await floor.getTask(id)).assigned_to === task.assigned_to) await pause(200);
  }
}

export async function callForHelp(floor: Floor, worker: Person): Promise<void> {
  const [task] = await floor.listTasks("assigned,in_progress", `&assigned_to=${worker.id}`);
  if (!task) throw new Error(`${worker.name} has no task`);
  const call = { reason: "help_needed", text: "too heavy for one person" };
  await worker.call(`POST /tasks/${task.id}/escalations`, call);
  floor.log(`${worker.name} calls for help with "${floor.nameOf(task)}": ${call.text}.`);
}

/** Cancels a task that another one waits for. */
export async function cancelBlocker(floor: Floor, lead: Person): Promise<void> {
  const [cut] = (await floor.listTasks("available")).filter((task) => floor.nameOf(task) === "Cut F-8");
  if (!cut) throw new Error("the last frame is already being cut");
  const { tasks } = await lead.call(`GET /tasks/${cut.id}/dependents`);
  await lead.act(cut, "cancel", { reason: "the parts were delivered already cut" });
  floor.log(
    `Lea cancels "${floor.nameOf(cut)}": the parts were delivered already cut. ${(tasks as Task[]).length} tasks would wait for it forever.`,
  );
}

type Item = {
  kind: string;
  reason: string | null;
  text: string | null;
  escalation_id: string | null;
  blocker: { id: string } | null;
  task: Task;
};

/** Reads the page of everything that needs the lead, and settles calls for help and canceled blockers. */
export async function settleAttention(floor: Floor, lead: Person, helper: Person): Promise<void> {
  const { groups } = (await lead.call(`GET /attention?project_id=${floor.project_id}`)) as {
    groups: { kind: string; count: number; items: Item[] }[];
  };
  const counts = groups.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  floor.log(`What needs the lead: ${counts.join(", ") || "nothing"}.`);
  for (const { kind, text, escalation_id, blocker, task } of groups.flatMap(({ items }) => items)) {
    const name = floor.nameOf(task);
    if (kind === "escalation") {
      if (task.assigned_to !== null)
        await lead.call(`POST /tasks/${task.id}/contributors`, { member_id: helper.id });
      const note = { note: `${helper.name} helps` };
      await lead.call(`POST /tasks/${task.id}/escalations/${String(escalation_id)}/resolve`, note);
      floor.log(`  ${name}, ${text ?? ""}: ${lead.name} sends ${helper.name} to help.`);
    }
    if (kind === "blocked" && blocker) {
      await lead.call(`DELETE /tasks/${task.id}/depends_on/${blocker.id}`);
      const { status } = await floor.getTask(task.id);
      floor.log(
        `  ${name} waits for a canceled task: ${lead.name} removes the dependency, and it is ${status}.`,
      );
    }
  }
}

export async function reportLateDefect(floor: Floor, lead: Person): Promise<void> {
  const [task] = (await floor.listTasks("done")).filter(({ title }) => title === "Weld");
  if (!task) throw new Error("nothing was welded");
  const defect = { description: "an open seam", severity: "critical" };
  await lead.call(`POST /tasks/${task.id}/fix`, { defect });
  floor.log(
    `${lead.name} finds an open seam in "${floor.nameOf(task)}", days after it was done, and creates a fix-task.`,
  );
}

/** Inspects the frames. One is rejected, and approved after the repair. */
export async function inspectFrames(
  floor: Floor,
  inspector: Person,
  lead: Person,
  crew: readonly Person[],
): Promise<void> {
  for (const [id, serial] of floor.serials) {
    await lead.call(`POST /deliverables/${id}/submit`, {});
    if (serial === "F-2") {
      const [task] = await floor.listTasks("done", `&deliverable_id=${id}`);
      await inspector.call(`POST /deliverables/${id}/inspections`, {
        result: "rejected",
        measurements: { out_of_square_mm: 3 },
        task_id: task?.id,
        defect: { description: "3 mm out of square" },
        create_fix: true,
      });
      floor.log(
        `Quentin measures ${serial}: it is 3 mm out of square. Quentin rejects it, and a fix-task is created.`,
      );
      await work(floor, lead, crew, 20);
      await lead.call(`POST /deliverables/${id}/submit`, {});
    }
    const approval = { result: "approved", measurements: { gap_mm: 0.4 } };
    await inspector.call(`POST /deliverables/${id}/inspections`, approval);
  }
  floor.log(`Quentin has approved ${floor.serials.size} frames.`);
}
