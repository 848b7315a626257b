import type { RecordedFault, RecordedJob, SoakRecord, Tap } from "./record.ts";
import { memoryFindings } from "./memory.ts";

/** One try of a job: from its claim to the move that ended it. */
type Attempt = {
  claimed: number;
  ended: number;
  worker: string | null;
  end: string;
  code: string | null;
};
type Document = SoakRecord["documents"][number];

export type Verdict = {
  /** Deviations from the promises; empty: the soak has passed. */
  violations: string[];
  figures: Record<string, number>;
};

const MAX_ATTEMPTS = 3;
const FINAL = new Set(["DELIVERED", "FAILED"]);

/** Compares each job with what the simulated Telegram has received, and each failure with the faults at that time. */
export function checkRecord(record: SoakRecord): Verdict {
  const { taps, jobs, documents } = record;
  const jobsByTap = groupBy(jobs, tapKey);
  const documentsByTap = groupBy(documents, ({ chat_id, sha256 }) => `${chat_id} ${sha256}`);
  const faults = groupBy(record.faults, ({ about }) => about);
  const violations: string[] = [];
  const figures = { delivered: 0, failed: 0, tries: 0, timeouts: 0, resent: 0, failedButReceived: 0 };
  for (const tap of taps) {
    const received = take(documentsByTap, `${tap.user_id} ${tap.sha256}`);
    const [job, ...others] = take(jobsByTap, tapKey({ ...tap, request_nonce: tap.nonce }));
    if (!job || others.length > 0) {
      violations.push(`${nameOf(tap)}: ${others.length + (job ? 1 : 0)} jobs for one tap`);
      continue;
    }
    const checked = checkJob({ tap, job, received, faults, record });
    violations.push(...checked.problems.map((problem) => `${nameOf(tap)}, job ${job.id}: ${problem}`));
    if (job.status === "DELIVERED") figures.delivered++;
    if (job.status === "FAILED") figures.failed++;
    figures.tries += checked.attempts.length;
    figures.timeouts += checked.attempts.filter(({ end }) => end === "heartbeat_timeout").length;
    if (job.status === "FAILED") figures.failedButReceived += Math.min(1, received.length);
    else figures.resent += Math.max(0, received.length - 1);
  }
  for (const [key, rest] of jobsByTap) violations.push(`${rest.length} jobs without a tap: ${key}`);
  for (const [key, rest] of documentsByTap)
    violations.push(`${rest.length} documents that no tap asked for: ${key}`);
  const memory = memoryFindings(record.memory);
  return { violations: [...violations, ...memory], figures };
}

type JobCheck = {
  tap: Tap;
  job: RecordedJob;
  received: readonly Document[];
  faults: ReadonlyMap<string, readonly RecordedFault[]>;
  record: SoakRecord;
};

function checkJob(check: JobCheck): { problems: string[]; attempts: Attempt[] } {
  const { tap, job, received, record } = check;
  const attempts = attemptsOf(job);
  const problems: string[] = [];
  if (!FINAL.has(job.status)) problems.push(`not finished: ${job.status}`);
  if (job.attempt > MAX_ATTEMPTS) problems.push(`${job.attempt} attempts`);
  for (const { size } of received)
    if (size !== tap.size) problems.push(`${size} bytes arrived, not ${tap.size}`);
  for (const document of received)
    if (!attempts.some(({ claimed }) => claimed <= document.at)) problems.push("sent before it was claimed");
  for (const [at, attempt] of attempts.entries()) {
    const next = attempts[at + 1]?.claimed ?? Infinity;
    const sent = received.filter((document) => document.at >= attempt.claimed && document.at < next);
    problems.push(...checkAttempt(attempt, sent, check));
  }
  const last = attempts.at(-1);
  if (job.status === "DELIVERED") {
    const acknowledged = received.filter(({ message_id }) => message_id === job.message_id);
    if (acknowledged.length !== 1) problems.push(`message ${String(job.message_id)} is not in the chat`);
  }
  if (job.status === "FAILED") {
    if (!isNotified(tap, record.texts)) problems.push("failed, but its user got no notice");
    if (job.last_error?.code !== last?.code)
      problems.push(`failed with ${last?.code ?? "nothing"}, but shows ${job.last_error?.code ?? "nothing"}`);
    if (job.last_error?.retryable === true && job.attempt < MAX_ATTEMPTS)
      problems.push(`failed after ${job.attempt} attempts, although ${job.last_error.code} is retryable`);
  }
  return { problems, attempts };
}

/** Returns whether the user was notified of the failure. */
export function isNotified(
  { user_id, name }: Pick<Tap, "user_id" | "name">,
  texts: SoakRecord["texts"],
): boolean {
  return texts.some(
    ({ chat_id, text }) => chat_id === user_id && text.startsWith("❌") && text.includes(name),
  );
}

/** A try that ended in `deliver` has sent one document; others none, unless its answer could not arrive. */
function checkAttempt(
  attempt: Attempt,
  sent: readonly Document[],
  { tap, faults, record }: JobCheck,
): string[] {
  const { end, code, worker, claimed, ended } = attempt;
  const isDuring = ({ at }: { at: number }) => at >= claimed && at <= ended;
  const endedBy = (signal: string) =>
    record.ends.some(
      (one) => one.signal === signal && one.member === worker && one.until >= claimed && one.at <= ended,
    );
  const problems: string[] = [];
  if (end === "deliver") {
    if (sent.length !== 1) problems.push(`${sent.length} documents in the try that delivered it`);
    return problems;
  }
  if (end === "heartbeat_timeout") {
    if (!endedBy("SIGKILL")) problems.push(`timed out, but ${worker ?? "its worker"} was not killed`);
    if (sent.length > 1) problems.push(`${sent.length} documents in a try that was killed`);
    return problems;
  }
  const unexplained = sent.filter(({ answered }) => answered);
  if (unexplained.length > 0 || sent.length > 1)
    problems.push(`${sent.length} documents, ${unexplained.length} answered, in a try that ended in ${end}`);
  if (end === "release") return problems;
  if (code === "WORKER_STOPPED") {
    if (!endedBy("SIGTERM")) problems.push(`${code}, but ${worker ?? "its worker"} was not stopped`);
    return problems;
  }
  const around = [...(faults.get(tap.path) ?? []), ...(faults.get(tap.user_id) ?? [])].filter(isDuring);
  if (!around.some((fault) => codesOf(fault).includes(code ?? "")))
    problems.push(`failed with ${code ?? "no code"}, but no such fault happened`);
  return problems;
}

/** Splits a journal into tries. */
function attemptsOf({ events }: RecordedJob): Attempt[] {
  const attempts: Attempt[] = [];
  let claim: RecordedJob["events"][number] | null = null;
  for (const event of events) {
    if (event.action === "claim") claim = event;
    if (!["deliver", "fail", "heartbeat_timeout", "release"].includes(event.action) || claim === null)
      continue;
    const { error } = (event.payload ?? {}) as { error?: { code?: string } };
    attempts.push({
      claimed: Date.parse(claim.created_at),
      ended: Date.parse(event.created_at),
      worker: claim.actor_id,
      end: event.action,
      code: event.action === "heartbeat_timeout" ? "HEARTBEAT_TIMEOUT" : (error?.code ?? null),
    });
    claim = null;
  }
  return attempts;
}

/** Returns the codes that a fault may be reported as. */
function codesOf({ side, fault }: RecordedFault): readonly string[] {
  switch (fault.kind) {
    case "reset":
    case "lost answer":
      return ["NETWORK_RESET"];
    case "stall":
      return ["NETWORK_TIMEOUT"];
    case "garbled":
      return ["CORRUPTED"];
    case "short":
      return ["CORRUPTED", "NETWORK_RESET"];
    case "status":
      return [codeOfStatus(side, fault.status)];
  }
}

function codeOfStatus(side: RecordedFault["side"], status: number): string {
  if (status === 429) return "RATE_LIMITED";
  if (status === 413) return "FILE_TOO_LARGE";
  if (side === "telegram") return status === 403 ? "USER_BLOCKED_BOT" : "TELEGRAM_UNAVAILABLE";
  return { 403: "ACCESS_DENIED", 404: "FILE_NOT_FOUND" }[status] ?? "STORAGE_UNAVAILABLE";
}

function tapKey(tap: Pick<RecordedJob, "user_id" | "file_id" | "request_nonce">): string {
  return `${tap.user_id} ${tap.file_id} ${tap.request_nonce}`;
}

function nameOf({ user_id, name }: Tap): string {
  return `${name} for ${user_id}`;
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

function take<T>(groups: Map<string, T[]>, key: string): T[] {
  const group = groups.get(key) ?? [];
  groups.delete(key);
  return group;
}
