import { expect, test } from "vitest";
import { ALL_ROLES, startTestServer, outcomeOf } from "./test-server.ts";

const AT_ONCE = 4;

const server = await startTestServer({ parts: {} });
const second = await startTestServer({ sameDatabaseAs: server, parts: {} });
const token = await server.member({
  id: "boss",
  roles: ALL_ROLES,
  skill_level: 9,
});
const make = async (body: object) =>
  String(
    (await server.ask("POST /api/tasks", { token, body: { client_event_id: crypto.randomUUID(), ...body } }))
      .body.id,
  );
const boardTask = () => make({ lifecycle: "board", title: "Paint the shed", description: "Green" });
const plannerTask = () => make({ lifecycle: "planner", title: "Paint the shed" });
const heldTask = async () =>
  make({ lifecycle: "planner", title: "Paint the roof", depends_on: [await plannerTask()] });
const codeTask = () => make({ lifecycle: "code", title: "Paint the shed" });

type Row = {
  what: string;
  body?: (n: number) => unknown;
  /** Fills `{id}`. */
  of?: () => Promise<string>;
  /** False if the route takes no idempotency key. */
  key?: false;
  /** The answers that the concurrent requests may get. */
  answers: string[];
};

const created = ["201"];
const once = ["201", "409 ALREADY_EXISTS"];
const claimed = ["200", "409 TASK_ALREADY_CLAIMED"];
const shift = { starts_at: "2030-01-01T00:00:00Z", ends_at: "2030-01-02T00:00:00Z", members: ["boss"] };
const delivery = (n: number) => ({ user_id: "1", file_id: "f", chat_id: "1", request_nonce: `n${n}` });
const action = (n: number) => ({
  workspaceId: "main",
  chatId: "c",
  actionId: `a${n}`,
  actionType: "summarize",
});

const TABLE: Row[] = [
  { what: "POST /api/projects", body: (n) => ({ id: `p${n}` }), answers: once },
  { what: "POST /api/members", body: (n) => ({ id: `m${n}` }), answers: once },
  { what: "PATCH /api/members/boss", body: (n) => ({ name: `Boss ${n}` }), answers: ["200"] },
  { what: "PATCH /api/projects/main", body: (n) => ({ name: `Main ${n}` }), answers: ["200"] },
  { what: "POST /api/members/boss/tokens", key: false, answers: created },
  { what: "POST /api/members/boss/login-links", key: false, answers: created },
  { what: "POST /api/session", body: () => ({ token }), key: false, answers: ["200"] },
  {
    what: "POST /api/tasks",
    body: (n) => ({ lifecycle: "board", title: `Paint the shed ${n}`, description: "x" }),
    answers: created,
  },
  {
    what: "POST /api/tasks",
    body: (n) => ({ lifecycle: "delivery", ...delivery(n) }),
    answers: ["201", "200"],
  },
  { what: "POST /api/delivery/jobs", body: delivery, answers: ["201", "200"] },
  {
    what: "POST /api/delivery/users",
    body: (n) => ({ id: `u${n}`, name: "Ann" }),
    key: false,
    answers: ["201", "200"],
  },
  {
    what: "POST /api/delivery/files",
    body: (n) => ({ scan: `s${n}`, entries: [{ kind: "file", path: `p${n}`, name: "a" }], last: true }),
    key: false,
    answers: ["204"],
  },
  {
    what: "POST /api/delivery/progress",
    body: (n) => ({ worker: { id: `w${n}`, concurrency: 1 }, jobs: [] }),
    key: false,
    answers: ["200"],
  },
  { what: "POST /api/chat/actions/start", body: action, answers: ["200"] },
  { what: "POST /api/chats/c/messages", body: (n) => ({ text: `Hello ${n}` }), answers: created },
  { what: "POST /api/chats/c/callback-tokens", body: () => ({}), key: false, answers: created },
  { what: "POST /api/planner/deliverables", body: (n) => ({ type: "door", serial: `s${n}` }), answers: once },
  { what: "POST /api/planner/shifts", body: () => shift, answers: created },
  {
    what: "PATCH /api/planner/projects/main/policy",
    body: () => ({ min_skill_to_take: 4 }),
    answers: ["200"],
  },
  { what: "PATCH /api/board/workspaces/main", body: (n) => ({ name: `Main ${n}` }), answers: ["200"] },
  {
    what: "POST /api/tasks/{id}/transitions",
    of: boardTask,
    body: () => ({ action: "claim", comment: "mine" }),
    answers: claimed,
  },
  {
    what: "POST /api/board/tasks/{id}/claim",
    of: boardTask,
    body: () => ({ comment: "mine" }),
    answers: claimed,
  },
  {
    what: "POST /api/board/tasks/{id}/comments",
    of: boardTask,
    body: () => ({ comment: "why" }),
    answers: created,
  },
  {
    what: "POST /api/planner/tasks/{id}/holds",
    of: heldTask,
    body: () => ({ kind: "materials", reason: "no wood" }),
    answers: created,
  },
  {
    what: "POST /api/planner/tasks/{id}/contributors",
    of: plannerTask,
    body: () => ({ member_id: "boss" }),
    answers: ["201", "409 INVALID_TRANSITION", "422 VALIDATION_ERROR", "403 FORBIDDEN"],
  },
  {
    what: "POST /api/planner/tasks/{id}/report-defect",
    of: plannerTask,
    body: () => ({ description: "a scratch" }),
    answers: created,
  },
  { what: "POST /api/claims", body: () => ({ lifecycle: "code" }), answers: ["200"] },
  { what: "POST /api/code/claims", body: () => ({}), answers: ["200"] },
  { what: "POST /api/planner/claims", body: () => ({}), answers: ["200", "409 WIP_LIMIT"] },
  {
    what: "POST /api/code/tasks/{id}/transitions",
    of: codeTask,
    body: () => ({ action: "comment", comment: "why" }),
    answers: ["200"],
  },
];

let n = 0;

test.each(TABLE)(
  "$what: a request sent several times at once to two nodes never causes an internal error",
  async (row) => {
    const { what, body, of, key, answers: allowed } = row;
    for (const sameKey of [true, false]) {
      const number = n++;
      const path = what.replace("{id}", (await of?.()) ?? "");
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, twin) => {
          const headers =
            key === false ? {} : { "idempotency-key": `k${number}${sameKey ? "" : `.${twin}`}` };
          const sent = body?.(number);
          return (twin % 2 === 0 ? server : second).ask(path, {
            token,
            headers,
            ...(sent === undefined ? {} : { body: sent }),
          });
        }),
      );
      const words = answers.map(outcomeOf);
      expect(
        words.filter((word) => !allowed.includes(word)),
        answers.map(({ text }) => text).join("\n"),
      ).toEqual([]);
      // Requests with the same key get the first answer.
      if (sameKey && key !== false) expect(new Set(words).size, words.join()).toBe(1);
    }
  },
);
