// Four agents share a board over MCP until all tasks are done; one of them crashes while it has a task.
//   PAWL_SWEEP_SECONDS=1 npx pawl start
//   PAWL_URL=http://127.0.0.1:4747 PAWL_TOKEN=$(cat .pawl/admin-token) npx tsx examples/mcp-board/run.ts
import { setTimeout as pause } from "node:timers/promises";
import { connectAgent, runAgent } from "./agent.ts";

const { PAWL_URL: url = "http://127.0.0.1:4747", PAWL_TOKEN: token = "" } = process.env;
const project_id = `release-${Date.now()}`;

// A task that is in progress for more than four seconds becomes stuck.
const status_deadlines = { IN_PROGRESS: 4 / 60 };
await admin("/api/projects", { id: project_id, settings: { board: { status_deadlines } } });

const [ann, bob, cy, dee] = await Promise.all(["ann", "bob", "cy", "dee"].map(newAgent));

// A small release: three parts to write and test, then the notes and the release, which need all of them.
const parts = ["parser", "printer", "checker"];
const task = (title: string, ref: string, blocked_by: string[] = []) => ({
  lifecycle: "board",
  project_id,
  title,
  description: `${title}, for the release`,
  ref,
  blocked_by,
});
const created = await ann!.call("create_tasks", {
  tasks: [
    ...parts.flatMap((part) => [
      task(`Write the ${part}`, part),
      task(`Test the ${part}`, `${part}-test`, [part]),
    ]),
    task("Write the notes", "notes", parts),
    task("Release it", "release", ["notes", ...parts.map((part) => `${part}-test`)]),
  ],
});
console.log(created.text);

const log = (line: string) => {
  console.log(line);
};
const doTask = async () => {
  await pause(100);
  return "done" as const;
};
await Promise.all([
  runAgent(ann!, project_id, doTask, log),
  runAgent(bob!, project_id, doTask, log),
  runAgent(cy!, project_id, doTask, log),
  runAgent(dee!, project_id, () => Promise.resolve("crashed"), log),
]);

const observer = await newAgent("observer");
const all = await observer.call("list_tasks", { project_id, limit: 100 });
console.log(all.text);
const unfinished = (all.data.tasks as { status: string }[]).filter(({ status }) => status !== "DONE");
console.log(unfinished.length === 0 ? "All tasks are done." : `${unfinished.length} tasks are not done.`);
await observer.disconnect();
process.exitCode = unfinished.length === 0 ? 0 : 1;

async function newAgent(name: string) {
  const id = `${name}-of-${project_id}`;
  await admin("/api/members", { id, name, kind: "agent", roles: ["agent"], project_ids: [project_id] });
  const created = await admin(`/api/members/${id}/tokens`, {});
  return connectAgent(name, url, String(created.token));
}

async function admin(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const reply = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${String(reply.detail)}`);
  return reply;
}
