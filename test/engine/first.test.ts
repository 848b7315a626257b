import { expect, test } from "vitest";
import { ann, bob, cat, openDesk } from "./desk.ts";

const desk = await openDesk();

test("a board task goes from NEW to DONE and its journal verifies", async () => {
  const task = await desk.make(cat, "board", { title: "Write it", description: "all" });
  expect(task).toMatchObject({ status: "NEW", row_version: 1, due_action: "expire", org_id: "main" });
  expect(await desk.act(ann, task, "claim")).toBe("IN_PROGRESS");
  expect(await desk.act(bob, task, "claim")).toBe("TASK_ALREADY_CLAIMED");
  expect(await desk.act(ann, task, "complete")).toBe("DONE");
  const found = await desk.engine.find(desk.by(bob), task.id);
  expect(found).toMatchObject({ status: "DONE", row_version: 3, assigned_to: "ann" });
  const events = await desk.engine.events(desk.by(bob), task.id);
  expect(events).toMatchObject([
    { type: "created" },
    { type: "claimed", comment: "so" },
    { type: "status_changed" },
  ]);
  expect(await desk.engine.verify("main")).toMatchObject({ tasks: 1, events: 3, differences: [] });
});
