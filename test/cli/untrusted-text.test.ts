import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();
const DIRTY = "a\u001b[35;5mb\u001b]0;owned\u0007c\u009b2Jd\u202ee\rf\u007fg";

type Body = Record<string, unknown>;

async function call(token: string, path: string, body: Body): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${at.server.address}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const reply = (await answer.json()) as Body;
  expect(answer.ok, JSON.stringify(reply)).toBe(true);
  return reply;
}

/** Creates a coding task in its second attempt, with control characters in every text. */
async function dirtyTask(): Promise<{ id: string; token: string }> {
  const token = await at.member("wim", "--kind", "worker", "--roles", "worker");
  const texts = { title: DIRTY, description: DIRTY, acceptance: DIRTY };
  await call(at.admin, "/api/code/tasks", texts);
  const { tasks } = (await call(token, "/api/code/claims", {})) as { tasks: Body[] };
  const { id, lease_token } = tasks[0] as { id: string; lease_token: string };
  const act = (action: string, more: Body = {}) =>
    call(token, `/api/code/tasks/${id}/transitions`, { action, lease_token, ...more });
  const start = { payload: { worktree: DIRTY, branch: DIRTY } };
  const { task } = (await act("start", start)) as { task: { row_version: number } };
  const output = { lease_token, run: task.row_version, text: `${DIRTY}\n${DIRTY}` };
  await call(token, `/api/code/tasks/${id}/output`, output);
  await act("comment", { comment: DIRTY });
  await act("retry", { payload: { error: DIRTY } });
  await act("start", start);
  await call(token, `/api/code/tasks/${id}/output`, output);
  return { id, token };
}

test("no control character of a task's texts or an agent's output reaches the terminal", async () => {
  const { id, token } = await dirtyTask();
  await call(at.admin, "/api/members", { id: "ann", name: DIRTY, kind: "human", roles: ["lead"] });
  const commands = [
    ...["tasks list", `tasks show ${id}`, `why ${id}`, "members list", `tasks show ${DIRTY}`],
    ...["code list", `code show ${id}`, `code log ${id}`, "code graph", `tasks act ${id} ${DIRTY}`],
  ];
  for (const line of commands)
    for (const env of [{}, { FORCE_COLOR: "1" }]) {
      const { stdout, stderr } = await at.cli(line.split(" "), { env, token });
      const written = `${stdout}${stderr}`;
      expect(written, line).not.toBe("");
      // Pawl's own colours, and nothing else.
      const rest = "FORCE_COLOR" in env ? written.replaceAll(/\u001b\[\d{1,2}m/g, "") : written;
      expect(rest, line).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
});

test("--json prints the complete texts, escaped", async () => {
  const { stdout } = await at.cli(["code", "list", "--json"]);
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect((JSON.parse(stdout) as { tasks: Body[] }).tasks[0]).toMatchObject({ title: DIRTY });
});
