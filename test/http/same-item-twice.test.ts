import { expect, test } from "vitest";
import { ALL_ROLES, startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer({ parts: {} });
const token = await server.member({
  id: "boss",
  roles: ALL_ROLES,
  skill_level: 9,
});
const ask = (what: string, body: unknown) => server.ask(what, { token, body });
const make = async (body: object) => String((await ask("POST /api/tasks", body)).body.id);

const board = { lifecycle: "board", title: "Paint the shed", description: "Green" };
const first = await make(board);
const claimable = await make({ lifecycle: "code", title: "Paint it" });
const { body: claimed } = await ask("POST /api/claims", { lifecycle: "code" });
const [{ lease_token } = { lease_token: "" }] = claimed.tasks as { lease_token: string }[];
const lease = { task_id: claimable, lease_token };
await ask("POST /api/delivery/users", { id: "1", name: "Ann" });
await ask("POST /api/delivery/users/1/approve", {});
const job_id = await make({
  lifecycle: "delivery",
  user_id: "1",
  file_id: "f",
  chat_id: "1",
  request_nonce: "n",
});
const { body: taken } = await ask("POST /api/claims", { lifecycle: "delivery" });
const [job = { lease_token: "" }] = taken.tasks as { lease_token: string }[];
const progress = { job_id, lease_token: job.lease_token, bytes: 1, total_bytes: null };
const file = { kind: "file", path: "a", name: "a" };
const shift = { starts_at: "2030-01-01T00:00:00Z", ends_at: "2030-01-02T00:00:00Z" };
const move = { id: first, action: "comment", comment: "why" };
const start = { workspaceId: "main", chatId: "c", actionId: "a", actionType: "summarize" };
const action = { lifecycle: "bot-actions", chatId: "c", actionId: "a", actionType: "summarize" };
await ask("POST /api/chat/actions/start", start);

const TABLE: [name: string, what: string, body: unknown, answer: string][] = [
  [
    "a ref",
    "POST /api/tasks/batch",
    {
      tasks: [
        { ...board, ref: "a" },
        { ...board, ref: "a" },
      ],
    },
    "422 VALIDATION_ERROR",
  ],
  [
    "a blocker",
    "POST /api/tasks/batch",
    {
      tasks: [
        { ...board, ref: "a" },
        { ...board, blocked_by: ["a", "a"] },
      ],
    },
    "201",
  ],
  [
    "a blocker by two refs",
    "POST /api/tasks/batch",
    {
      tasks: [
        { ...action, ref: "a" },
        { ...action, ref: "b" },
        { ...board, blocked_by: ["a", "b"] },
      ],
    },
    "201",
  ],
  ["a board's blocker", "POST /api/board/tasks", { ...board, blocked_by: [first, first] }, "201"],
  [
    "a code task's blocker",
    "POST /api/code/tasks",
    {
      title: "Paint it",
      blocked_by: [claimable, claimable, { task: claimable.toUpperCase(), on_failure: "fail" }],
    },
    "201",
  ],
  [
    "a planner task's dependency",
    "POST /api/planner/tasks",
    {
      title: "Paint it",
      depends_on: ["0197a000-0000-7000-8000-000000000001", "0197a000-0000-7000-8000-000000000001"],
      client_event_id: "k1",
    },
    "422 VALIDATION_ERROR",
  ],
  ["a move without a key", "POST /api/transitions", [move, move], "200"],
  [
    "a move with one key",
    "POST /api/transitions",
    [
      { ...move, client_event_id: "k" },
      { ...move, client_event_id: "k" },
    ],
    "200",
  ],
  ["a lease", "POST /api/heartbeats", { leases: [lease, lease] }, "200"],
  [
    "a job's progress",
    "POST /api/delivery/progress",
    { worker: { id: "w", concurrency: 1 }, jobs: [progress, { ...progress, bytes: 2 }] },
    "200",
  ],
  ["a file", "POST /api/delivery/files", { scan: "s", entries: [file, file], last: true }, "204"],
  [
    "a shift's member",
    "POST /api/planner/shifts",
    { ...shift, members: ["boss", "boss"], client_event_id: "k2" },
    "201",
  ],
  [
    "a member's role, project and trade",
    "POST /api/members",
    {
      id: "twin",
      roles: ["agent", "agent"],
      project_ids: ["main", "main"],
      specializations: ["weld", "weld"],
    },
    "201",
  ],
];

test.each(TABLE)("%s listed twice in one request causes no internal error", async (_, what, body, answer) => {
  const reply = await ask(what, body);
  expect(outcomeOf(reply), reply.text.slice(0, 500)).toBe(answer);
  if (Array.isArray(reply.body)) expect(reply.text).not.toContain("INTERNAL_ERROR");
});

test("the last of two progress entries for one job counts", async () => {
  const rows = await server.sql`select bytes::int from pawl.delivery_progress where task_id = ${job_id}`;
  expect(rows).toEqual([{ bytes: 2 }]);
});
