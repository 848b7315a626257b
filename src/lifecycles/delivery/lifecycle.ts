import { createHash } from "node:crypto";
import { z } from "zod";
import { backoffMs, defineLifecycle, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, refuse } from "../../core/index.ts";

/** Three attempts in total. */
const MAX_ATTEMPTS = 3;

/** The storage rejects the token, and refreshing it failed. */
export const SOURCE_TOKEN_INVALID = "SOURCE_TOKEN_INVALID";

const HELD = ["CLAIMED", "DOWNLOADING", "STREAMING"] as const;
const RUNNING = ["DOWNLOADING", "STREAMING"] as const;
const id = z.string().max(MAX_NAME_LENGTH).trim().min(1);

const failure = z.object({
  code: id,
  message: z.string().max(MAX_TEXT_LENGTH).default(""),
  retryable: z.boolean(),
  retry_after_seconds: z.number().min(0).max(86_400).nullish(),
});

const recoverTimer = {
  action: "heartbeat_timeout",
  since: "heartbeat_at",
  after: { seconds: "recover_after_seconds" },
} as const;

/** Delivers a file: a user taps "Скачать", and a worker streams the file from storage into the chat, once. */
export const delivery = defineLifecycle({
  name: "delivery",
  version: 1,
  summary: "Files from cloud storage into a Telegram chat",
  data: z.object({
    user_id: z.string(),
    file_id: z.string(),
    chat_id: z.string(),
    request_nonce: z.string(),
    last_error: failure.nullable(),
    message_id: z.number().nullable(),
    telegram_file_id: z.string().nullable(),
  }),
  settings: z.object({
    heartbeat_seconds: z.number().positive().max(86_400).default(10),
    stuck_after_seconds: z.number().positive().default(30),
    recover_after_seconds: z.number().positive().default(60),
    ttl_hours: z.number().positive().default(24),
    backoff_base_seconds: z.number().positive().max(31_536_000).default(5),
    backoff_cap_seconds: z.number().positive().max(31_536_000).default(300),
    access_days: z.number().positive().max(36_500).default(30),
  }),
  facts: z.object({
    /** The Telegram user that the file is for; null if unknown. */
    user: z.object({ status: z.enum(["PENDING", "ACTIVE", "EXPIRED", "BLOCKED"]) }).nullable(),
  }),
  statuses: {
    QUEUED: {
      meaning: "waiting for a worker",
      timers: [{ action: "expire", since: "created_at", after: { hours: "ttl_hours" } }],
    },
    CLAIMED: { meaning: "claimed by a worker", lease: true, timers: [recoverTimer] },
    DOWNLOADING: {
      meaning: "the file is being fetched from the storage",
      lease: true,
      timers: [recoverTimer],
    },
    STREAMING: { meaning: "the file is being sent to Telegram", lease: true, timers: [recoverTimer] },
    DELIVERED: { meaning: "Telegram has acknowledged the file", final: true, success: true },
    FAILED: { meaning: "failed for good; last_error has the reason", final: true },
    CANCELLED: { meaning: "canceled before a worker claimed it", final: true },
    EXPIRED: { meaning: "not claimed in time", final: true },
  },
  lease: { lasts: { seconds: "recover_after_seconds" } },
  actions: {
    claim: {},
    start_download: { facts: ["user"] },
    start_stream: {},
    deliver: {
      input: z.object({
        message_id: z.number().int(),
        telegram_file_id: id,
        // Revision of the file that was read; null if Telegram already had the file.
        revision: id.nullish(),
      }),
    },
    fail: { input: z.object({ error: failure }), facts: ["user"] },
    heartbeat_timeout: {},
    release: {},
    cancel: { input: z.object({ user_id: z.string().max(MAX_NAME_LENGTH).nullish() }) },
    expire: {},
  },
  creation: {
    input: z.object({
      user_id: id,
      file_id: id,
      chat_id: id,
      request_nonce: id,
      title: id.nullish(),
    }),
    to: [{ status: "QUEUED" }],
    draft: ({ input }) => ({
      title: input.title ?? `File ${input.file_id}`,
      // One tap creates one job: a repeated callback finds the existing one.
      dedupe_key: jobKey(input),
      data: {
        user_id: input.user_id,
        file_id: input.file_id,
        chat_id: input.chat_id,
        request_nonce: input.request_nonce,
        last_error: null,
        message_id: null,
        telegram_file_id: null,
      },
    }),
  },
  rules: [
    { action: "claim", from: "QUEUED", to: "CLAIMED", who: "anyone", guards: ["available_now"] },
    {
      action: "start_download",
      from: "CLAIMED",
      to: "DOWNLOADING",
      who: "lease_holder",
      guards: ["attempts_left", "user_is_active"],
    },
    { action: "start_stream", from: "DOWNLOADING", to: "STREAMING", who: "lease_holder" },
    {
      action: "deliver",
      from: "STREAMING",
      to: "DELIVERED",
      who: "lease_holder",
      effects: ["save_acknowledgement"],
    },
    {
      action: "fail",
      from: RUNNING,
      to: "QUEUED",
      who: "lease_holder",
      guards: ["error_is_retryable", "another_attempt_left", "user_is_active"],
      effects: ["count_attempt", "save_error", "back_off"],
    },
    {
      action: "fail",
      from: RUNNING,
      to: "FAILED",
      who: "lease_holder",
      effects: ["count_attempt", "save_error", "notify_failure", "alert_admins"],
    },
    {
      action: "fail",
      from: "CLAIMED",
      to: "FAILED",
      who: "lease_holder",
      guards: ["cannot_succeed"],
      effects: ["save_error", "notify_failure", "alert_admins"],
    },
    {
      action: "heartbeat_timeout",
      from: HELD,
      to: "QUEUED",
      who: "system",
      guards: ["due", "another_attempt_left"],
      effects: ["count_attempt", "save_timeout"],
    },
    {
      action: "heartbeat_timeout",
      from: HELD,
      to: "FAILED",
      who: "system",
      guards: ["due"],
      effects: ["count_attempt", "save_timeout", "notify_timeout"],
    },
    { action: "release", from: ["CLAIMED", "DOWNLOADING"], to: "QUEUED", who: "lease_holder" },
    { action: "cancel", from: "QUEUED", to: "CANCELLED", who: ["user", "admin"] },
    {
      action: "expire",
      from: "QUEUED",
      to: "EXPIRED",
      who: "system",
      guards: ["due"],
      effects: ["notify_expiry"],
    },
  ],
  permissions: {
    "task.claim": ["worker"],
    "task.start_download": ["worker"],
    "task.start_stream": ["worker"],
    "task.deliver": ["worker"],
    "task.fail": ["worker"],
    "task.release": ["worker"],
    "task.heartbeat_timeout": ["system"],
    "task.expire": ["system"],
  },
  who: {
    user: {
      label: "the job's user, through the bot",
      test: ({ actor, input, task }) => actor.kind === "service" && input.user_id === task.data.user_id,
    },
    admin: { label: "an admin", test: ({ actor }) => actor.roles.includes("admin") },
  },
  guards: {
    attempts_left: ({ task }) => task.attempt < MAX_ATTEMPTS || attemptsExhausted(task.attempt),
    another_attempt_left: ({ task }) =>
      task.attempt + 1 < MAX_ATTEMPTS || attemptsExhausted(task.attempt + 1),
    user_is_active: ({ facts }) =>
      facts.user?.status === "ACTIVE" ||
      refuse("USER_NOT_ACTIVE", `The user is ${facts.user?.status ?? "unknown"}, not ACTIVE.`, {
        user_status: facts.user?.status ?? null,
      }),
    error_is_retryable: ({ input }) =>
      input.error?.retryable === true ||
      refuse("NOT_RECOVERABLE", "This error is permanent: a retry would fail as well."),
    cannot_succeed: ({ input, facts, task }) =>
      input.error?.retryable === false ||
      facts.user?.status !== "ACTIVE" ||
      task.attempt >= MAX_ATTEMPTS ||
      refuse("ATTEMPTS_LEFT", "The job has not started and can be retried: release it instead."),
  },
  effects: {
    save_acknowledgement: {
      change: ({ input }) => ({
        data: { message_id: input.message_id ?? null, telegram_file_id: input.telegram_file_id ?? null },
      }),
      side_effects: ({ input, task }) => [
        {
          kind: "cache_file",
          file_id: task.data.file_id,
          telegram_file_id: input.telegram_file_id,
          revision: input.revision ?? null,
        },
        // The file was read from the storage, so the storage works.
        ...(input.revision == null ? [] : [{ kind: "source_is_well" }]),
      ],
    },
    save_error: ({ input }) => ({ data: { last_error: input.error ?? null } }),
    save_timeout: ({ task, now }) => ({
      data: {
        last_error: {
          code: "HEARTBEAT_TIMEOUT",
          message: `The worker sent no heartbeat for ${Math.floor((now - (task.lease?.heartbeat_at ?? task.entered_at)) / 1000)} s in ${task.status}.`,
          retryable: true,
        },
      },
    }),
    notify_failure: {
      side_effects: ({ input, task }) => [noticeEffect(task, "job_failed", input.error?.code ?? null)],
    },
    notify_timeout: { side_effects: ({ task }) => [noticeEffect(task, "job_failed", "HEARTBEAT_TIMEOUT")] },
    notify_expiry: { side_effects: ({ task }) => [noticeEffect(task, "job_expired", null)] },
    // Only an admin can fix the token. The admins get one notice, however many jobs fail.
    alert_admins: {
      side_effects: ({ input }) =>
        input.error?.code === SOURCE_TOKEN_INVALID
          ? [{ kind: "source_needs_admin", reason: input.error.message }]
          : [],
    },
    back_off: ({ task, now, settings, input }) => {
      const waitMs = backoffMs(task.attempt, task.id, {
        baseMs: settings.backoff_base_seconds * 1000,
        capMs: settings.backoff_cap_seconds * 1000,
      });
      // A Retry-After of the other side applies even beyond the cap.
      return { available_at: now + Math.max(waitMs, (input.error?.retry_after_seconds ?? 0) * 1000) };
    },
  },
  invariants: {
    "exactly the claimed and running jobs have a lease": (task) =>
      HELD.some((status) => status === task.status) === (task.lease !== null),
    "at most three attempts": (task) => task.attempt <= MAX_ATTEMPTS,
    "a queued job has an attempt left": (task) => task.status !== "QUEUED" || task.attempt < MAX_ATTEMPTS,
  },
  pool: { action: "claim", from: "QUEUED" },
});

/** A side effect that notifies the user. It is saved in the transaction of the move; the bot words the message. */
function noticeEffect(
  task: { id: string; title: string; data: { user_id: string } },
  notice: string,
  code: string | null,
) {
  const { id, title, data } = task;
  return { kind: "notify", notice, key: `${notice}:${id}`, user_id: data.user_id, params: { title, code } };
}

/** Returns `sha256(user_id:file_id:request_nonce)`. */
function jobKey(tap: { user_id: string; file_id: string; request_nonce: string }): string {
  return createHash("sha256").update(`${tap.user_id}:${tap.file_id}:${tap.request_nonce}`).digest("hex");
}

function attemptsExhausted(attempt: number) {
  return refuse("ATTEMPTS_EXHAUSTED", `All ${MAX_ATTEMPTS} attempts are used (attempt: ${attempt}).`, {
    attempt,
    max_attempts: MAX_ATTEMPTS,
  });
}
