import { describe, expect, test } from "vitest";
import { admitCreation, draftOf } from "../../core/index.ts";
import type { Actor, JsonObject, Task } from "../../core/index.ts";
import { testLifecycle } from "../../../test/support/lifecycle-grid.ts";
import {
  decideRequest,
  member,
  NOW,
  situationOf,
  SYSTEM,
  taskIn,
  outcomeOf,
} from "../../../test/support/situation.ts";
import { delivery } from "./lifecycle.ts";

const ACTORS: Record<string, Actor> = {
  holder: member("holder", ["worker"], { kind: "worker" }),
  zombie: member("zombie", ["worker"], { kind: "worker" }),
  bot: member("bot", ["agent"], { kind: "service" }),
  admin: member("admin", ["admin"]),
  viewer: member("viewer", ["viewer"]),
  system: SYSTEM,
};

const retryable = { code: "NETWORK_RESET", message: "reset", retryable: true };
const permanent = { code: "NOT_FOUND", message: "404", retryable: false };
const PAYLOAD: Record<string, JsonObject> = {
  deliver: { message_id: 5, telegram_file_id: "AgAD" },
  fail: { error: retryable },
  cancel: { user_id: "u1" },
};

// "holder" has the lease if there is one, "zombie" has an old token; the user is ACTIVE; attempt 0; timers have expired.
const GRID = `
action            | setup | who                 | QUEUED     | CLAIMED       | DOWNLOADING | STREAMING  | DELIVERED | FAILED | CANCELLED | EXPIRED
claim             |       | holder, zombie      | CLAIMED    | .             | .           | .          | .         | .      | .         | .
claim             |       | system              | x          | .             | .           | .          | .         | .      | .         | .
start_download    |       | holder              | LEASE_LOST | DOWNLOADING   | .           | .          | .         | .      | .         | .
start_stream      |       | holder              | LEASE_LOST | .             | STREAMING   | .          | .         | .      | .         | .
deliver           |       | holder              | LEASE_LOST | .             | .           | DELIVERED  | .         | .      | .         | .
fail              |       | holder              | LEASE_LOST | ATTEMPTS_LEFT | QUEUED      | QUEUED     | .         | .      | .         | .
release           |       | holder              | LEASE_LOST | QUEUED        | QUEUED      | .          | .         | .      | .         | .
start_download, start_stream, deliver, fail, release | | zombie | LEASE_LOST | LEASE_LOST | LEASE_LOST | LEASE_LOST | . | .    | .         | .
start_download    |       | system              | .          | LEASE_TOKEN_REQUIRED | LEASE_LOST | LEASE_LOST | . | .      | .         | .
start_stream      |       | system              | .          | LEASE_LOST    | LEASE_TOKEN_REQUIRED | LEASE_LOST | . | .    | .         | .
deliver           |       | system              | .          | LEASE_LOST    | LEASE_LOST  | LEASE_TOKEN_REQUIRED | . | .   | .         | .
fail              |       | system              | .          | LEASE_TOKEN_REQUIRED | LEASE_TOKEN_REQUIRED | LEASE_TOKEN_REQUIRED | . | . | .  | .
release           |       | system              | .          | LEASE_TOKEN_REQUIRED | LEASE_TOKEN_REQUIRED | LEASE_LOST | . | .  | .         | .
heartbeat_timeout |       | system              | .          | QUEUED        | QUEUED      | QUEUED     | .         | .      | .         | .
expire            |       | system              | EXPIRED    | .             | .           | .          | .         | .      | .         | .
heartbeat_timeout, expire | | holder, zombie, bot, admin, viewer | x | x     | x           | x          | x         | x      | x         | x
cancel            |       | bot, admin          | CANCELLED  | .             | .           | .          | .         | .      | .         | .
cancel            |       | holder, zombie, system | x       | .             | .           | .          | .         | .      | .         | .
cancel            |       | viewer              | x          | x             | x           | x          | x         | x      | x         | x
claim, start_download, start_stream, deliver, fail, release | | bot, admin, viewer | x | x | x | x | x     | x      | x         | x
`;
const HELD = ["CLAIMED", "DOWNLOADING", "STREAMING"];

type Situation = { task?: Partial<Task>; user?: string | null; payload?: JsonObject; settings?: JsonObject };

function decided(
  status: string,
  action: string,
  who: string,
  { task, user = "ACTIVE", payload, settings = {} }: Situation = {},
) {
  const actor = ACTORS[who] as Actor;
  const lease = { token: "good", holder: "holder", until: NOW, heartbeat_at: NOW - 61_000 };
  const job = taskIn(delivery, status, {
    data: { user_id: "u1", file_id: "f1", chat_id: "c1", request_nonce: "n1", last_error: null },
    lease: HELD.includes(status) ? lease : null,
    created_at: NOW - 25 * 3_600_000,
    ...task,
  });
  const facts = { user: user === null ? null : { status: user } };
  return decideRequest(delivery, situationOf(delivery, job, actor, { facts, settings }), {
    action,
    payload: payload ?? PAYLOAD[action],
    lease_token: who === "holder" ? "good" : who === "zombie" ? "old" : null,
  });
}

testLifecycle({
  lifecycle: delivery,
  actors: ACTORS,
  grid: GRID,
  decide: ({ status, action, actor }) => decided(status, action, actor),
});

describe("the rules of delivery", () => {
  const fail = (error: JsonObject) => ({ payload: { error } });
  test.each<[string, string, string, Situation, string]>([
    ["QUEUED", "claim", "holder", { task: { available_at: NOW + 1 } }, "NOT_YET_AVAILABLE"],
    ["CLAIMED", "start_download", "holder", { task: { attempt: 3 } }, "ATTEMPTS_EXHAUSTED"],
    ["CLAIMED", "start_download", "holder", { user: "EXPIRED" }, "USER_NOT_ACTIVE"],
    ["CLAIMED", "start_download", "holder", { user: null }, "USER_NOT_ACTIVE"],
    ["STREAMING", "deliver", "holder", { payload: {} }, "VALIDATION_ERROR"],
    ["DOWNLOADING", "fail", "holder", { payload: {} }, "VALIDATION_ERROR"],
    ["DOWNLOADING", "fail", "holder", { task: { attempt: 1 } }, "QUEUED"],
    ["DOWNLOADING", "fail", "holder", { task: { attempt: 2 } }, "FAILED"],
    ["STREAMING", "fail", "holder", { task: { attempt: 2 } }, "FAILED"],
    ["STREAMING", "fail", "holder", fail(permanent), "FAILED"],
    ["DOWNLOADING", "fail", "holder", { user: "BLOCKED" }, "FAILED"],
    ["CLAIMED", "fail", "holder", fail(permanent), "FAILED"],
    ["CLAIMED", "fail", "holder", { user: "BLOCKED" }, "FAILED"],
    ["CLAIMED", "fail", "holder", { task: { attempt: 3 } }, "FAILED"],
    ["CLAIMED", "heartbeat_timeout", "system", { task: { attempt: 1 } }, "QUEUED"],
    ["CLAIMED", "heartbeat_timeout", "system", { task: { attempt: 2 } }, "FAILED"],
    ["STREAMING", "heartbeat_timeout", "system", { task: { attempt: 2 } }, "FAILED"],
    ["STREAMING", "heartbeat_timeout", "system", { settings: { recover_after_seconds: 62 } }, "NOT_DUE"],
    ["QUEUED", "expire", "system", { settings: { ttl_hours: 26 } }, "NOT_DUE"],
    ["QUEUED", "cancel", "bot", { payload: { user_id: "somebody else" } }, "FORBIDDEN"],
  ])("%s --%s--> by %s with %o is %s", (status, action, who, situation, expected) => {
    expect(outcomeOf(decided(status, action, who, situation), status)).toBe(expected);
  });

  test("a lease opens with the claim, is kept while the job runs, and closes when the job leaves the worker", () => {
    expect(decided("QUEUED", "claim", "holder")).toMatchObject({
      lease: "open",
      timer: { due_action: "heartbeat_timeout", due_at: NOW + 60_000 },
    });
    expect(decided("DOWNLOADING", "start_stream", "holder")).toMatchObject({ lease: "keep" });
    for (const [action, who] of [
      ["deliver", "holder"],
      ["fail", "holder"],
      ["heartbeat_timeout", "system"],
    ] as const) {
      expect(decided("STREAMING", action, who)).toMatchObject({ lease: "close" });
    }
  });

  test("a graceful release counts no attempt; a failure and a missing heartbeat do", () => {
    expect(decided("CLAIMED", "release", "holder")).not.toHaveProperty("patch.attempt");
    expect(decided("STREAMING", "fail", "holder")).toMatchObject({
      patch: { attempt: 1, data: { last_error: { code: "NETWORK_RESET", retryable: true } } },
    });
    expect(decided("STREAMING", "heartbeat_timeout", "system")).toMatchObject({
      patch: {
        attempt: 1,
        data: { last_error: { message: "The worker sent no heartbeat for 61 s in STREAMING." } },
      },
    });
  });

  test("the delay grows with each retry, and is at least the Retry-After of the other side", () => {
    const wait = (situation: Situation) => {
      const decision = decided("STREAMING", "fail", "holder", situation);
      return decision.kind === "moved" ? (decision.patch.available_at ?? 0) - NOW : 0;
    };
    expect(wait({})).toBeGreaterThanOrEqual(2_500);
    expect(wait({})).toBeLessThanOrEqual(5_000);
    expect(wait({ task: { attempt: 1 } })).toBeGreaterThanOrEqual(5_000);
    expect(wait({ payload: { error: { ...retryable, retry_after_seconds: 1_000 } } })).toBe(1_000_000);
  });

  test("Telegram's file id is cached for the file", () => {
    expect(decided("STREAMING", "deliver", "holder")).toMatchObject({
      effects: [{ kind: "cache_file", file_id: "f1", telegram_file_id: "AgAD" }],
    });
  });
});

test("the key of a job is a hash of user, file and nonce", () => {
  const draft = (nonce: string) => {
    const admitted = admitCreation(delivery, ACTORS.bot as Actor, {
      user_id: "u",
      file_id: "f",
      chat_id: "c",
      request_nonce: nonce,
    });
    if (admitted.kind === "refused") throw new Error(admitted.detail);
    return draftOf(delivery, { input: admitted.input, actor: SYSTEM, settings: {}, facts: {}, now: NOW })
      .dedupe_key;
  };
  // printf 'u:f:1' | sha256sum
  expect(draft("1")).toBe("8d4d2875ee15d2bc583d046d2678c7923534aaab08163a2581f2844b72f917dd");
  expect(draft("1")).not.toBe(draft("2"));
});
