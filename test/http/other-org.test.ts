/* eslint-disable max-lines -- one table of all routes */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { replyOf, startTestServer } from "./test-server.ts";
import { floorOf, PLANNER_ROWS } from "./other-org-planner.ts";

const server = await startTestServer({ server: { live: { heartbeatMs: 100 } } });
const ROLES = ["admin", "agent", "worker", "executor", "lead", "supervisor"];
const ours = await server.member({ id: "ann", roles: ROLES }, "main");
const theirs = await server.member({ id: "ann", roles: ROLES }, "other");

/** Ids and names in the other org, which no answer to us may contain. */
const THEIRS = await thingsOf(theirs);
/** Ids and names of the same lengths that exist nowhere. */
const NOWHERE: typeof THEIRS = {
  task: "0197a000-0000-7000-8000-000000000001",
  leased: "0197a000-0000-7000-8000-000000000002",
  lease: "0197a000-0000-7000-8000-000000000003",
  token: "0197a000-0000-7000-8000-000000000004",
  member: "nob-of-no-one",
  project: "yard-of-no-1e",
  key: "key-of-none",
  chat: "chat-of-no-one",
  action: "botAction-of-no-one",
  user: "user-of-no-one",
  file: "file-of-no-one-0",
  job: "0197a000-0000-7000-8000-000000000005",
  piece: "0197a000-0000-7000-8000-000000000006",
  hold: "0197a000-0000-7000-8000-000000000007",
  escalation: "0197a000-0000-7000-8000-000000000008",
  defect: "0197a000-0000-7000-8000-000000000009",
  deliverable: "0197a000-0000-7000-8000-00000000000a",
  shift: "0197a000-0000-7000-8000-00000000000b",
  request: "0197a000-0000-7000-8000-00000000000c",
  pattern: "0197a000-0000-7000-8000-00000000000d",
  template: "0197a000-0000-7000-8000-00000000000e",
};
const SECRETS = ["Their own secret", "Their own words"];

const board = { title: "A new task", description: "Of ours" };
const say = { comment: "mine" };
const botAction = { workspaceId: "main", chatId: "{chat}", actionId: "{action}" };

/** An operation and a request: `{task}` is a task's id, and so on. A row without placeholders checks a list. */
type Row = [operation: string, what: string, body?: unknown];

const ROWS: Row[] = [
  ["getLive", "GET /live"],
  ["getReady", "GET /ready"],
  ["getOpenApi", "GET /openapi.json"],
  ["getDocs", "GET /docs"],
  ["getMetrics", "GET /metrics"],
  ["listLifecycles", "GET /api/lifecycles"],
  ["listConsolePlugins", "GET /api/console/plugins"],
  ["describeLifecycle", "GET /api/lifecycles/board"],
  ["drawLifecycle", "GET /api/lifecycles/board/diagram"],
  ["checkLifecycle", "GET /api/lifecycles/board/check"],
  ["getOverview", "GET /api/overview"],
  ["getOverview", "GET /api/overview?project_id={project}"],
  ["getInsights", "GET /api/insights?lifecycle=board"],
  ["getInsights", "GET /api/insights?lifecycle=board&project_id={project}"],
  ["getTaskLinks", "GET /api/tasks/{task}/links"],
  ["getGraph", "GET /api/graph"],
  ["getGraph", "GET /api/graph?project_id={project}"],
  ["listTokens", "GET /api/members/{member}/tokens"],
  ["getSession", "GET /api/session"],
  ["signIn", "POST /api/session", { token: "{token}" }],
  ["signInWithCode", "POST /api/session/code", { code: "{token}" }],
  ["createLoginLink", "POST /api/members/{member}/login-links"],
  ["goBack", "POST /api/session/back"],
  ["signOut", "DELETE /api/session"],
  ["getDemo", "GET /api/demo"],
  ["startDemo", "POST /api/demo"],
  ["stopDemo", "POST /api/demo/stop"],
  ["removeDemo", "DELETE /api/demo"],

  ["createTask", "POST /api/tasks", { lifecycle: "board", ...board, project_id: "{project}" }],
  ["createTask", "POST /api/tasks", { lifecycle: "board", ...board, blocked_by: ["{task}"] }],
  [
    "createTask",
    "POST /api/tasks",
    { lifecycle: "code", title: "Again", retry_of: "{task}", blocked_by: ["{leased}"] },
  ],
  ["createTask", "POST /api/tasks", { lifecycle: "board", ...board, client_event_id: "{key}" }],
  [
    "createTasks",
    "POST /api/tasks/batch",
    { tasks: [{ lifecycle: "board", ...board, project_id: "{project}" }] },
  ],
  [
    "createTasks",
    "POST /api/tasks/batch",
    { tasks: [{ lifecycle: "board", ...board, blocked_by: ["{task}"] }] },
  ],
  [
    "createTasks",
    "POST /api/tasks/batch",
    { tasks: [{ lifecycle: "board", ...board }], client_event_id: "{key}" },
  ],
  ["listTasks", "GET /api/tasks"],
  ["listTasks", "GET /api/tasks?project_id={project}"],
  ["listTasks", "GET /api/tasks?assigned_to={member}"],
  ["listTasks", "GET /api/tasks?held_by={member}&total=true"],
  ["listTasks", "GET /api/tasks?attention=true&total=true"],
  ["listTasks", "GET /api/tasks?q=secret&cursor={task}"],
  ["getTask", "GET /api/tasks/{task}"],
  ["listTaskEvents", "GET /api/tasks/{task}/events"],
  ["explainTask", "GET /api/tasks/{task}/actions"],
  ["moveTask", "POST /api/tasks/{task}/transitions", { action: "claim", ...say }],
  ["moveTask", "POST /api/tasks/{task}/transitions", { action: "claim", ...say, client_event_id: "{key}" }],
  ["moveTask", "POST /api/tasks/{task}/transitions", { action: 7 }],
  ["moveTask", "POST /api/tasks/{leased}/transitions", { action: "release", lease_token: "{lease}" }],
  ["moveTasks", "POST /api/transitions", [{ id: "{task}", action: "claim", ...say }]],
  ["claimTasks", "POST /api/claims", { lifecycle: "board", ...say, project_id: "{project}", limit: 10 }],
  ["claimTasks", "POST /api/claims", { lifecycle: "code", client_event_id: "{key}" }],
  ["beatLeases", "POST /api/heartbeats", { leases: [{ task_id: "{leased}", lease_token: "{lease}" }] }],
  ["streamEvents", "GET /api/events?after=0&task_id={task}"],
  ["streamEvents", "GET /api/events?after=0&project_id={project}"],

  ["listInbox", "GET /api/inbox"],
  ["listInbox", "GET /api/inbox?cursor={request}"],
  ["retryInboxRequest", "POST /api/inbox/{request}/retry"],
  ["discardInboxRequest", "DELETE /api/inbox/{request}"],
  ["listSqlBindings", "GET /api/inbox/bindings"],
  ["bindSqlRole", "PUT /api/inbox/bindings/postgres/{member}"],
  ["unbindSqlRole", "DELETE /api/inbox/bindings/postgres/{member}"],
  ["listProjects", "GET /api/projects"],
  ["listProjects", "GET /api/projects?cursor={project}"],
  ["getProject", "GET /api/projects/{project}"],
  ["changeProject", "PATCH /api/projects/{project}", { name: "Ours now" }],
  ["createProject", "POST /api/projects", { id: "{project}", client_event_id: "{key}-project" }],
  ["getMe", "GET /api/me"],
  ["listMembers", "GET /api/members"],
  ["listMembers", "GET /api/members?cursor={member}"],
  ["getMember", "GET /api/members/{member}"],
  ["changeMember", "PATCH /api/members/{member}", { roles: ["admin"] }],
  ["createToken", "POST /api/members/{member}/tokens"],
  ["createMember", "POST /api/members", { id: "{member}", project_ids: ["{project}"] }],
  ["rotateToken", "POST /api/tokens/{token}/rotate"],
  ["revokeToken", "DELETE /api/tokens/{token}"],

  ["listBoardTasks", "GET /api/board/tasks"],
  ["listBoardTasks", "GET /api/board/tasks?workspace_id={project}2"],
  ["listBoardTasks", "GET /api/board/tasks?assignee={member}"],
  ["createBoardTask", "POST /api/board/tasks", { ...board, blocked_by: ["{task}"] }],
  ["createBoardTask", "POST /api/board/tasks", { ...board, assigned_to: "{member}2" }],
  ["createBoardTasks", "POST /api/board/tasks/batch", { tasks: [{ ...board, blocked_by: ["{task}"] }] }],
  ["getBoardTask", "GET /api/board/tasks/{task}"],
  ["moveBoardTask", "POST /api/board/tasks/{task}/transitions", { action: "claim", ...say }],
  ["setBoardStatus", "PATCH /api/board/tasks/{task}/status", { status: "CANCELLED", ...say }],
  ["claimBoardTask", "POST /api/board/tasks/{task}/claim", say],
  ["escalateBoardTask", "POST /api/board/tasks/{task}/escalate", say],
  ["takeOverBoardTask", "POST /api/board/tasks/{task}/takeover", say],
  ["editBoardTask", "PATCH /api/board/tasks/{task}", { title: "Ours now", ...say }],
  ["reassignBoardTask", "POST /api/board/tasks/{task}/reassign", { assignee_id: "ann", ...say }],
  ["commentBoardTask", "POST /api/board/tasks/{task}/comments", say],
  ["claimNextBoardTask", "POST /api/board/claim-next", { ...say, workspace_id: "{project}2" }],
  ["getWorkspace", "GET /api/board/workspaces/{project}2"],
  ["changeWorkspace", "PATCH /api/board/workspaces/{project}2", { name: "Ours now" }],
  ["getBoardStats", "GET /api/board/stats?agent_id={member}2"],
  ["getBoardStats", "GET /api/board/stats?workspace_id={project}2"],

  ...PLANNER_ROWS,

  ["listCodeTasks", "GET /api/code/tasks"],
  ["listCodeTasks", "GET /api/code/tasks?project_id={project}2"],
  ["createCodeTask", "POST /api/code/tasks", { title: "Ours", blocked_by: ["{leased}"] }],
  ["createCodeTasks", "POST /api/code/tasks/batch", { tasks: [{ title: "Ours", blocked_by: ["{leased}"] }] }],
  ["getCodeTask", "GET /api/code/tasks/{leased}"],
  ["moveCodeTask", "POST /api/code/tasks/{leased}/transitions", { action: "comment", comment: "Ours now" }],
  ["retryCodeTask", "POST /api/code/tasks/{leased}/retry", {}],
  ["claimCodeTasks", "POST /api/code/claims", { project_id: "{project}2" }],
  [
    "appendCodeOutput",
    "POST /api/code/tasks/{leased}/output",
    { lease_token: "{lease}", run: 2, text: "Hm" },
  ],
  ["makeAgentToken", "POST /api/code/tasks/{leased}/agent-token", { lease_token: "{lease}" }],
  [
    "saveCodeDiff",
    "POST /api/code/tasks/{leased}/diff",
    {
      lease_token: "{lease}",
      base: "b".repeat(40),
      commit: "a".repeat(40),
      files: 0,
      added: 0,
      removed: 0,
      diff: "",
      truncated: false,
    },
  ],
  ["readCodeDiff", "GET /api/code/tasks/{leased}/diff"],
  ["readCodeLog", "GET /api/code/tasks/{leased}/log"],
  ["streamCodeOutput", "GET /api/code/tasks/{leased}/output"],
  ["getCodeGraph", "GET /api/code/graph?project_id={project}2"],
  ["getCodeSummary", "GET /api/code/summary?project_id={project}2"],
  ["getCodeUsage", "GET /api/code/usage?project_id={project}2"],

  ["listChats", "GET /api/chats"],
  ["listChats", "GET /api/chats?workspaceId={project}2"],
  ["updateBotAction", "POST /api/chat/actions/update", { ...botAction, status: "done" }],
  [
    "startBotAction",
    "POST /api/chat/actions/start",
    { ...botAction, workspaceId: "{project}2", actionType: "summarize" },
  ],
  ["startBotAction", "POST /api/chat/actions/start", { ...botAction, actionType: "summarize" }],
  ["listBotActions", "GET /api/chat/actions?chatId={chat}"],
  ["listBotActions", "GET /api/chat/actions?chatId={chat}&workspaceId={project}2"],
  [
    "startBotActionByCallback",
    "POST /api/no-code/callback/actions/start",
    { ...botAction, actionType: "summarize" },
  ],
  [
    "updateBotActionByCallback",
    "POST /api/no-code/callback/actions/update",
    { ...botAction, status: "done" },
  ],
  ["createCallbackToken", "POST /api/chats/{chat}/callback-tokens", { workspaceId: "{project}2" }],
  ["streamChatEvents", "GET /api/chats/{chat}/events?after=0"],
  ["streamChatEvents", "GET /api/chats/{chat}/events?after=0&workspaceId={project}2"],
  ["listChatMessages", "GET /api/chats/{chat}/messages"],
  ["listChatMessages", "GET /api/chats/{chat}/messages?before={task}"],
  ["sayInChat", "POST /api/chats/{chat}/messages", { text: "Ours", workspaceId: "{project}2" }],
  ["getChatReaders", "GET /api/chats/{chat}/readers"],
  ["getChatReaders", "GET /api/chats/{chat}/readers?workspaceId={project}2"],
  ["setChatReaders", "PUT /api/chats/{chat}/readers", { readers: ["{member}"] }],
  ["setChatReaders", "PUT /api/chats/{chat}/readers", { readers: ["ann"], workspaceId: "{project}2" }],
  // Before our own org has any such data.
  ["takeDeliveryNotices", "POST /api/delivery/notices/take", { limit: 100 }],
  [
    "createDeliveryJob",
    "POST /api/delivery/jobs",
    { user_id: "{user}", file_id: "{file}", chat_id: "c", request_nonce: "{key}", project_id: "{project}2" },
  ],
  ["listDeliveryJobs", "GET /api/delivery/jobs"],
  ["listDeliveryJobs", "GET /api/delivery/jobs?user_id={user}&cursor={job}"],
  ["getDeliveryJob", "GET /api/delivery/jobs/{job}"],
  ["moveDeliveryJob", "POST /api/delivery/jobs/{job}/transitions", { action: "cancel" }],
  ["getDeliveryStatus", "GET /api/delivery/status"],
  ["listDeliveryUsers", "GET /api/delivery/users"],
  ["listDeliveryUsers", "GET /api/delivery/users?cursor={user}"],
  ["requestDeliveryAccess", "POST /api/delivery/users", { id: "{user}2", name: "Of ours" }],
  ["getDeliveryUser", "GET /api/delivery/users/{user}"],
  ["approveDeliveryUser", "POST /api/delivery/users/{user}/approve", { client_event_id: "{key}" }],
  ["extendDeliveryUser", "POST /api/delivery/users/{user}/extend", {}],
  ["blockDeliveryUser", "POST /api/delivery/users/{user}/block", {}],
  ["listDeliveryFiles", "GET /api/delivery/files"],
  ["listDeliveryFiles", "GET /api/delivery/files?q=secret"],
  ["listDeliveryFiles", "GET /api/delivery/files?folder_id={file}"],
  [
    "saveDeliveryFiles",
    "POST /api/delivery/files",
    { scan: "of ours", entries: [], folder: null, last: true },
  ],
  ["getDeliverySource", "GET /api/delivery/files/{file}/source"],
  ["forgetCachedDeliveryFile", "DELETE /api/delivery/files/{file}/cached/theirs"],
  [
    "reportDeliveryProgress",
    "POST /api/delivery/progress",
    {
      worker: { id: "w", concurrency: 1 },
      jobs: [{ job_id: "{job}", lease_token: "{lease}", bytes: 1, total_bytes: 2 }],
    },
  ],
  ["recoverDeliveryJobs", "POST /api/delivery/recover"],
  ["listDeliveryOutages", "GET /api/delivery/outages"],
  ["takeDeliveryProbes", "POST /api/delivery/outages/probe", { now: false }],
  ["endDeliveryOutage", "POST /api/delivery/outages/end", { side: "storage" }],
  [
    "reportDeliveryOutage",
    "POST /api/delivery/outages",
    { side: "telegram", code: "TG_5XX", reason: "of ours" },
  ],
  ["listRetryableDeliveryJobs", "GET /api/delivery/retryable-jobs?since=2020-01-01T00:00:00Z&cursor={job}"],
  ["callDeliveryAdmin", "POST /api/delivery/source/needs-admin", { reason: "of ours" }],
  ["settleDeliveryNotice", "POST /api/delivery/notices/{job}/settle"],
  ["readStorageToken", "GET /api/delivery/storage-tokens/{file}"],
  ["lockStorageToken", "POST /api/delivery/storage-tokens/{file}/lock", { revision: 0, holder: "of ours" }],
  ["saveStorageToken", "POST /api/delivery/storage-tokens/{file}/save", { revision: 0, sealed: "of ours" }],
  ["unlockStorageToken", "POST /api/delivery/storage-tokens/{file}/unlock", { holder: "of theirs" }],
];

test.each(ROWS)(
  "%s: %s with %j answers for the other org's ids as for ids that do not exist",
  async (operation, what, body) => {
    const before = await picture("other");
    const nowhere = await tried(what, body, NOWHERE);
    const there = await tried(what, body, THEIRS);
    // Metrics change between requests; they cover all orgs and contain no ids.
    if (operation !== "getMetrics") expect(there).toEqual(nowhere);
    for (const secret of SECRETS) expect(there.text).not.toContain(secret);
    // The answer contains a requested id only as that id.
    if (!what.includes("{") && body === undefined)
      for (const word of Object.values(THEIRS)) expect(there.text).not.toContain(word);
    expect(await picture("other")).toEqual(before);
  },
);

test("every operation is in the table", async () => {
  const { body: document } = await server.ask("GET /openapi.json");
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  const rows = new Set(ROWS.map(([operation]) => operation));
  expect(operations.filter((operation) => !rows.has(operation))).toEqual([]);
});

test("both cases run the same statements, so timing reveals nothing, and all are limited to our org", async () => {
  const what = ["", "/events", "/actions", "/links"];
  const ask = async (task: string) => {
    for (const more of what)
      expect((await server.ask(`GET /api/tasks/${task}${more}`, { token: ours })).status).toBe(404);
  };
  // The first requests prepare statements.
  await ask(NOWHERE.task);
  const [there, nowhere] = [
    await statementsOf(() => ask(THEIRS.task)),
    await statementsOf(() => ask(NOWHERE.task)),
  ];
  expect(there.map(({ text }) => text)).toEqual(nowhere.map(({ text }) => text));
  const withTask = there.filter(({ parameters }) => parameters.includes(THEIRS.task));
  expect(withTask.length).toBeGreaterThanOrEqual(what.length);
  for (const { text, parameters } of withTask) expect(parameters, text).toContain("main");
});

type Statement = { text: string; parameters: string };

/** Collects the statements that are sent to the database during a call. */
async function statementsOf(work: () => Promise<void>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const options = server.sql.options as { debug?: unknown };
  options.debug = (_connection: number, text: string, parameters: unknown[]) => {
    statements.push({ text, parameters: JSON.stringify(parameters) });
  };
  try {
    await work();
  } finally {
    options.debug = undefined;
  }
  return statements;
}

/** Returns the answer without the values that must differ: requested ids, the request id and times. */
async function tried(what: string, body: unknown, things: typeof THEIRS) {
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, kind: string) =>
      kind in things ? things[kind as keyof typeof THEIRS] : whole,
    );
  const [method = "", path = ""] = fill(what).split(" ");
  const leaving = new AbortController();
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${ours}`,
      // The length of a compressed answer depends on the times in it.
      "accept-encoding": "identity",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "DELETE" ? { "idempotency-key": randomUUID(), "if-match": '"1"' } : {}),
    },
    ...(body === undefined ? {} : { body: fill(JSON.stringify(body)) }),
    signal: leaving.signal,
  });
  const streams = response.headers.get("content-type") === "text/event-stream";
  const reply = streams ? await readPastEvents(response) : (await replyOf(response)).text;
  leaving.abort();
  let text = reply;
  for (const [kind, word] of Object.entries(things)) text = text.replaceAll(word, `{${kind}}`);
  const headers = Object.fromEntries(response.headers);
  for (const name of ["date", "x-request-id"]) Reflect.deleteProperty(headers, name);
  return {
    status: response.status,
    headers,
    text: text
      .replaceAll(/pawl_\w+_[0-9a-f]{48}/g, "{secret}")
      .replaceAll(/urn:pawl:request:[\w-]+/g, "{request}")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "{moment}")
      .replaceAll(/(?<=")[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{uuid}"),
  };
}

/** Reads past events from a stream; comments and ids only show how far the feed was read. */
async function readPastEvents(response: Response): Promise<string> {
  const [{ last } = { last: Infinity }] = await server.sql<{ last: number }[]>`
    select feed_position::int as last from pawl.org where id = 'main'`;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const hasCaughtUp = (received: string) =>
    [...received.matchAll(/^: at (\d+)$/gm)].some(([, at]) => Number(at) >= last);
  let text = "";
  while (!hasCaughtUp(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  reader.cancel().catch(() => undefined);
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .join("\n");
}

/** Returns all rows of an org, but not when its tokens were used: its own member sends requests too. */
async function picture(org_id: string): Promise<Record<string, unknown>> {
  const tables = await server.sql<{ name: string }[]>`
    select table_name as name from information_schema.columns where table_schema = 'pawl' and column_name = 'org_id' order by 1`;
  const rows = await Promise.all(
    tables.map(
      async ({ name }) =>
        [
          name,
          await server.sql`select (to_jsonb(t) - 'last_used_at')::text as row from ${server.sql(`pawl.${name}`)} t
            where org_id = ${org_id} order by 1`,
        ] as const,
    ),
  );
  return Object.fromEntries(rows.map(([name, some]) => [name, some.map(({ row }) => row as string)]));
}

async function thingsOf(token: string) {
  const ask = async (what: string, body: object) => {
    const reply = await server.ask(what, { token, body });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body as Record<string, string> & { tasks: Record<string, string>[] };
  };
  const [member, project, key] = ["zoe-of-others", "shed-of-other", "key-of-them"];
  await ask("POST /api/projects", { id: project, name: "Their own words" });
  await ask("POST /api/members", { id: member, name: "Their own words", roles: ["agent"] });
  const secret = { title: "Their own secret", description: "Their own words" };
  const task = await ask("POST /api/tasks", {
    lifecycle: "board",
    ...secret,
    project_id: project,
    client_event_id: key,
  });
  await ask("POST /api/tasks", { lifecycle: "code", ...secret });
  const { tasks } = await ask("POST /api/claims", { lifecycle: "code" });
  const [chat, action] = ["chat-of-others", "botAction-of-others"];
  const words = { actionType: "summarize", displayText: "Their own words" };
  await ask("POST /api/chat/actions/start", {
    workspaceId: "main",
    chatId: chat,
    actionId: action,
    ...words,
  });
  await ask(`POST /api/chats/${chat}/messages`, { text: "Their own words" });
  const [user, entry] = ["user-of-others", { kind: "file", path: "/their/own", name: "Their own secret" }];
  await ask("POST /api/delivery/users", { id: user, name: "Their own words" });
  await ask("POST /api/delivery/files", { scan: "s", entries: [entry], last: true });
  const { files } = (await server.ask("GET /api/delivery/files", { token })).body as {
    files: { id: string }[];
  };
  const tap = { user_id: user, file_id: files[0]!.id, chat_id: "c", request_nonce: "n" };
  const job = await ask("POST /api/delivery/jobs", tap);
  const floor = await floorOf(ask, project, member);
  const { id: tokenId } = await ask(`POST /api/members/${member}/tokens`, {});
  const request = randomUUID();
  await server.sql`
    insert into pawl.inbox (org_id, id, lifecycle, input, input_bytes, key, member_id, role_name, created_at, due_at)
    values ('other', ${request}, 'board', ${server.sql.json(secret)}, 2, ${key}, ${member}, 'x', now(), now())`;
  await server.sql`insert into pawl.sql_binding (org_id, role_name, member_id) values ('other', 'postgres', ${member})`;
  return {
    task: task.id!,
    leased: tasks[0]!.id!,
    lease: tasks[0]!.lease_token!,
    token: tokenId!,
    member,
    project,
    key,
    chat,
    action,
    user,
    file: files[0]!.id,
    job: job.id!,
    request,
    ...floor,
  };
}
