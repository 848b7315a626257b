import { expect, test } from "vitest";
import { ALL_ROLES, startTestServer } from "./test-server.ts";

const MAX_RATIO = 3;
/** Fixed cost of any request, plus measurement noise. */
const FLOOR_MS = 40;
const MAX_RUNS = 8;
/** From small to large, so that a cost that explodes is found early. */
const PARTS_OF_LIMIT = [16, 8, 4, 2, 1];

const server = await startTestServer({ parts: {}, server: { checksReplies: false } });
const token = await server.member({
  id: "boss",
  roles: ALL_ROLES,
  skill_level: 9,
});
const make = async (body: object) => String((await server.ask("POST /api/tasks", { token, body })).body.id);
const board = { lifecycle: "board", title: "Paint the shed", description: "Green" };
const id = await make(board);
const move = `POST /api/tasks/${id}/transitions`;
const commentMove = { action: "comment", comment: "x" };
const start = { workspaceId: "main", chatId: "c", actionId: "a", actionType: "summarize" };

const some = <T>(n: number, item: (index: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i));
/** Repeats a pattern up to n characters. */
const filled = (pattern: string, n: number) => pattern.repeat(Math.ceil(n / pattern.length)).slice(0, n);
/** An object of about n bytes with many keys. */
const manyKeys = (n: number) => Object.fromEntries(some(Math.floor(n / 16), (i) => [`key${i}`, "12345"]));
const refs = (n: number, blocked_by: (index: number) => string[]) => ({
  tasks: some(n, (i) => ({ title: "Paint it", description: "x", ref: `r${i}`, blocked_by: blocked_by(i) })),
});

let fresh = 0;

type Case = {
  name: string;
  /** The size at the limit. */
  limit: number;
  what: string | ((n: number) => string);
  body?: (n: number) => unknown;
  headers?: (n: number) => Record<string, string>;
};

const PATTERNS = [
  "a",
  " ",
  " a",
  "<",
  "<!--",
  "<a",
  "a<b=",
  ">",
  "-->",
  "\u0301",
  "%_",
  '"\\',
  "\n",
  "…",
  "`*_[",
];

const CASES: Case[] = [
  ...PATTERNS.flatMap((pattern): Case[] => [
    {
      name: `displayText of ${JSON.stringify(pattern)}`,
      limit: 300_000,
      what: "POST /api/chat/actions/start",
      body: (n) => ({ ...start, actionId: `a${fresh++}`, displayText: filled(pattern, n) }),
    },
    {
      name: `a description of ${JSON.stringify(pattern)}`,
      limit: 100_000,
      what: "POST /api/tasks",
      body: (n) => ({ ...board, description: `x${filled(pattern, n - 2)}x` }),
    },
    {
      name: `a comment of ${JSON.stringify(pattern)}`,
      limit: 100_000,
      what: move,
      body: (n) => ({ ...commentMove, comment: `x${filled(pattern, n - 2)}x` }),
    },
    {
      name: `a query of ${JSON.stringify(pattern)}`,
      limit: 200,
      what: (n) => `GET /api/tasks?q=${encodeURIComponent(filled(pattern, n))}`,
    },
    {
      name: `a search for files of ${JSON.stringify(pattern)}`,
      limit: 200,
      what: (n) => `GET /api/delivery/files?q=${encodeURIComponent(filled(pattern, n))}`,
    },
  ]),
  { name: "an action", limit: 900_000, what: move, body: (n) => ({ action: filled("claim", n) }) },
  {
    name: "a lifecycle",
    limit: 900_000,
    what: "POST /api/claims",
    body: (n) => ({ lifecycle: filled("board", n) }),
  },
  {
    name: "an unknown key",
    limit: 900_000,
    what: "POST /api/tasks",
    body: (n) => ({ ...board, [filled("a", n)]: 1 }),
  },
  {
    name: "unknown keys",
    limit: 900_000,
    what: "POST /api/tasks",
    body: (n) => ({ ...board, ...manyKeys(n) }),
  },
  {
    name: "an unknown object",
    limit: 900_000,
    what: "POST /api/tasks",
    body: (n) => ({ ...board, all: manyKeys(n) }),
  },
  {
    name: "the fingerprint of unknown keys",
    limit: 900_000,
    what: "POST /api/tasks",
    body: (n) => ({ ...board, ...manyKeys(n), client_event_id: `k${fresh++}` }),
  },
  {
    name: "a payload that is compared with the one before",
    limit: 60_000,
    what: "POST /api/chat/actions/start",
    body: (n) => ({ ...start, actionId: "compared", payload: manyKeys(n) }),
  },
  {
    name: "settings of a project",
    limit: 900_000,
    what: "PATCH /api/projects/main",
    body: (n) => ({ settings: { board: { status_deadlines: manyKeys(n) } } }),
  },
  {
    name: "measurements",
    limit: 900_000,
    what: "POST /api/planner/deliverables/nowhere/inspections",
    body: (n) => ({ result: "approved", measurements: manyKeys(n), client_event_id: `k${fresh++}` }),
  },
  {
    name: "lists in lists",
    limit: 900_000,
    what: "POST /api/tasks",
    body: (n) => ({
      ...board,
      all: some(Math.floor(n / 180), () => JSON.parse("[".repeat(90) + "]".repeat(90)) as unknown),
    }),
  },
  {
    name: "wrong items",
    limit: 400_000,
    what: "POST /api/tasks",
    body: (n) => ({ ...board, blocked_by: some(n, () => 1) }),
  },
  { name: "wrong moves", limit: 400_000, what: "POST /api/transitions", body: (n) => some(n, () => 1) },
  {
    name: "wrong tasks",
    limit: 500,
    what: "POST /api/tasks/batch",
    body: (n) => ({ tasks: some(n, () => ({ lifecycle: 1 })) }),
  },
  {
    name: "a batch",
    limit: 500,
    what: "POST /api/tasks/batch",
    body: (n) => ({ tasks: some(n, () => board) }),
  },
  {
    name: "a chain of blockers",
    limit: 500,
    what: "POST /api/board/tasks/batch",
    body: (n) => refs(n, (i) => (i === 0 ? [] : [`r${i - 1}`])),
  },
  {
    name: "a cycle of blockers",
    limit: 500,
    what: "POST /api/board/tasks/batch",
    body: (n) => refs(n, (i) => [`r${(i + 1) % n}`]),
  },
  {
    name: "tasks with a hundred blockers each",
    limit: 400,
    what: "POST /api/code/tasks/batch",
    body: (n) => refs(n, (i) => some(Math.min(i, 100), (j) => `r${j}`)),
  },
  {
    name: "one task's blockers",
    limit: 1_000,
    what: "POST /api/tasks",
    body: (n) => ({
      ...board,
      blocked_by: some(n, (i) => `0197a000-0000-7000-8000-${String(i).padStart(12, "0")}`),
    }),
  },
  {
    name: "moves of one task",
    limit: 100,
    what: "POST /api/transitions",
    body: (n) => some(n, () => ({ id, ...commentMove })),
  },
  {
    name: "moves of tasks that are not there",
    limit: 500,
    what: "POST /api/transitions",
    body: (n) =>
      some(n, (i) => ({ id: `0197a000-0000-7000-8000-${String(i).padStart(12, "0")}`, ...commentMove })),
  },
  {
    name: "leases",
    limit: 1_000,
    what: "POST /api/heartbeats",
    body: (n) => ({ leases: some(n, () => ({ task_id: id, lease_token: id })) }),
  },
  {
    name: "a new member's projects",
    limit: 1_000,
    what: "POST /api/members",
    body: (n) => ({ project_ids: some(n, (i) => `p${i}`) }),
  },
  {
    name: "a shift's members",
    limit: 1_000,
    what: "POST /api/planner/shifts",
    body: (n) => ({
      starts_at: "2030-01-01T00:00:00Z",
      ends_at: "2030-01-02T00:00:00Z",
      members: some(n, (i) => `m${i}`),
      client_event_id: `k${fresh++}`,
    }),
  },
  {
    name: "files of a folder",
    limit: 500,
    what: "POST /api/delivery/files",
    body: (n) => ({
      scan: "1",
      last: true,
      entries: some(n, (i) => ({ kind: "file", path: `p${i}`, name: filled("e\u0301\u0323", 1_000) })),
    }),
  },
  {
    name: "output",
    limit: 65_536,
    what: `POST /api/code/tasks/${id}/output`,
    body: (n) => ({ lease_token: "x", run: 1, text: filled("\u001b[0;1", n) }),
  },
  {
    name: "a message",
    limit: 10_000,
    what: "POST /api/chats/c/messages",
    body: (n) => ({ text: filled("a ", n) }),
  },
  ...[" ", '"', "; ", "=", "a", "1"].flatMap((pattern): Case[] =>
    ["idempotency-key", "if-match", "last-event-id", "cookie", "x-request-id", "authorization"].map(
      (header) => ({
        name: `${header} of ${JSON.stringify(pattern)}`,
        limit: 12_000,
        what: move,
        body: () => commentMove,
        headers: (n) => ({ [header]: `x${filled(pattern, n)}x` }),
      }),
    ),
  ),
  ...["a=1&", "status=a&", "status=,", "sort=priority,", "cursor=_", "a[b]="].map((pattern): Case => ({
    name: `a query string of ${pattern}`,
    limit: 12_000,
    what: (n) => `GET /api/board/tasks?${filled(pattern, n)}`,
  })),
  { name: "a path", limit: 12_000, what: (n) => `GET /api/${filled("a/", n)}` },
];

test.each(CASES)(
  "doubling $name up to its limit at most triples the CPU time",
  async ({ limit, ...sent }) => {
    let half = { n: 0, ms: Infinity };
    for (const part of PARTS_OF_LIMIT) {
      const whole = { n: Math.floor(limit / part), ms: Infinity };
      whole.ms = await cpuMs(sent, whole.n);
      // Measure again only if it exceeds the limit: cold caches or garbage collection may have disturbed one run.
      for (let run = 0; run < MAX_RUNS && whole.ms > allowedMs(half.ms); run++) {
        half.ms = Math.min(half.ms, await cpuMs(sent, half.n));
        whole.ms = Math.min(whole.ms, await cpuMs(sent, whole.n));
      }
      expect(whole.ms, `CPU time of ${whole.n}, after ${half.n}: ${half.ms} ms`).toBeLessThanOrEqual(
        allowedMs(half.ms),
      );
      half = whole;
    }
  },
);

function allowedMs(halfMs: number): number {
  return MAX_RATIO * halfMs + FLOOR_MS;
}

/** Measures CPU time of this process, which runs the server; wall time would depend on the rest of the machine. */
async function cpuMs({ what, body, headers }: Omit<Case, "name" | "limit">, n: number): Promise<number> {
  const path = typeof what === "string" ? what : what(n);
  const sent = body === undefined ? {} : { body: JSON.stringify(body(n)) };
  const before = process.cpuUsage();
  await server.ask(path, { token, ...sent, ...(headers ? { headers: headers(n) } : {}) });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
