import { openPawl } from "pawl";
import type { Caller } from "pawl";
import { board } from "pawl/lifecycles/board";

// Starts PostgreSQL in .pawl, or uses the one that already runs there. Pass `url` to use your own PostgreSQL.
const pawl = await openPawl({ data: ".pawl", plugins: [board] });
await pawl.createMember({ id: "ann", kind: "agent", roles: ["agent"] });
await pawl.createMember({ id: "bob", kind: "agent", roles: ["agent"] });
const [ann, bob] = [await pawl.as("ann"), await pawl.as("bob")];

const created = await pawl.create(ann, [
  { lifecycle: "board", title: "Draft the notes", description: "Everything since 0.1", ref: "draft" },
  { lifecycle: "board", title: "Publish them", description: "On the site", blocked_by: ["draft"] },
]);
if (created.kind === "refused") throw new Error(created.detail);
const [draft, publish] = created.tasks;

await act("bob claims", bob, draft!.id, "claim");
await act("ann claims it too", ann, draft!.id, "claim");
await act("ann claims the next", ann, publish!.id, "claim");
await act("bob completes", bob, draft!.id, "complete");
await act("ann claims again", ann, publish!.id, "claim");

const journal = await pawl.events(ann, draft!.id);
if (Array.isArray(journal)) console.log(journal.map((event) => event.type).join(" → "));
console.log(`${(await pawl.verify("main")).differences.length} differences between tasks and journals`);
await pawl.close();

async function act(what: string, caller: Caller, task_id: string, action: "claim" | "complete") {
  const done = await pawl.perform(caller, { task_id, action, comment: "on it" });
  console.log(`${what}: ${done.kind === "refused" ? done.code : done.task.status}`);
}
