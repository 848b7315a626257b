// Four agents share a board over MCP until all is done; one of them dies on the way.
//   PAWL_SWEEP_SECONDS=1 npx pawl start
//   PAWL_URL=http://127.0.0.1:4747 PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/mcp-board/run.ts
import { setTimeout as rest } from "node:timers/promises";
import { join, workOff } from "./agent.ts";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const project_id = `release-${Date.now()}`;

// Whoever has held a task for four seconds is taken for dead.
const status_deadlines = { IN_PROGRESS: 4 / 60 };
await admin("/api/projects", { id: project_id, settings: { board: { status_deadlines } } });

const [ann, bob, cy, dee] = await Promise.all(["ann", "bob", "cy", "dee"].map(newAgent));

// A small release: three parts, each written, then tested; and what needs all of them.
const parts = ["parser", "printer", "checker"];
const task = (title: string, ref: string, blocked_by: string[] = []) => ({
  lifecycle: "board",
  project_id,
  title,
  description: `${title}, for the release`,
  ref,
  blocked_by,
});
const made = await ann!.call("create_tasks", {
  tasks: [
    ...parts.flatMap((part) => [
      task(`Write the ${part}`, part),
      task(`Test the ${part}`, `${part}-test`, [part]),
    ]),
    task("Write the notes", "notes", parts),
    task("Release it", "release", ["notes", ...parts.map((part) => `${part}-test`)]),
  ],
});
console.log(made.text);

const tell = (line: string) => {
  console.log(line);
};
const steadily = async () => {
  await rest(100);
  return "done" as const;
};
await Promise.all([
  workOff(ann!, project_id, steadily, tell),
  workOff(bob!, project_id, steadily, tell),
  workOff(cy!, project_id, steadily, tell),
  workOff(dee!, project_id, () => Promise.resolve("dies"), tell),
]);

const judge = await newAgent("judge");
const all = await judge.call("list_tasks", { project_id, limit: 100 });
console.log(all.text);
const undone = (all.data.tasks as { status: string }[]).filter(({ status }) => status !== "DONE");
console.log(undone.length === 0 ? "All is done." : `${undone.length} are not done.`);
await judge.leave();
process.exitCode = undone.length === 0 ? 0 : 1;

async function newAgent(name: string) {
  const id = `${name}-of-${project_id}`;
  await admin("/api/members", { id, name, kind: "agent", roles: ["agent"], project_ids: [project_id] });
  const issued = await admin(`/api/members/${id}/tokens`, {});
  return join(name, url, String(issued.token));
}

async function admin(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const said = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${String(said.detail)}`);
  return said;
}
