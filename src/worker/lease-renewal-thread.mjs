// Runs in its own thread, so that a handler that blocks the main thread does not stop renewals. Plain JavaScript without
// imports from this package: a thread is started from a file, and this file is the same in src and in dist.
import { parentPort, workerData } from "node:worker_threads";

/** @typedef {{ task_id: string, lease_token: string, lease_ms: number, good_until: number, warned: boolean }} TrackedLease */

const { url, headers, mainThreadTimeoutMs } = workerData;
const MAX_REQUEST_MS = 10_000;
const RETRY_DELAY_MS = 1_000;
/** Maximum delay of a timer; a longer one would fire at once. */
const MAX_TIMER_DELAY_MS = 2_147_483_647;

/** @type {Map<string, TrackedLease>} */
const leases = new Map();
let lastMessageAt = performance.now();
let renewing = false;
/** The last failure that was reported since the last success. @type {string | null} */
let failure = null;
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** @type {NodeJS.Timeout | undefined} */
let expiryTimer;

parentPort.on("message", (message) => {
  lastMessageAt = performance.now();
  if (message.keep) {
    const { task_id, lease_token, lease_ms } = message.keep;
    leases.set(task_id, {
      task_id,
      lease_token,
      lease_ms,
      good_until: lastMessageAt + lease_ms,
      warned: false,
    });
    schedule(message.renew_now ? 0 : renewalIntervalMs());
    reportExpired();
  } else if (
    message.release &&
    leases.get(message.release.task_id)?.lease_token === message.release.lease_token
  ) {
    leases.delete(message.release.task_id);
  }
});

/** A third of the shortest lease, so that two renewals may fail. Whole milliseconds, as `AbortSignal.timeout` requires. */
function renewalIntervalMs() {
  const shortest = Math.min(...[...leases.values()].map(({ lease_ms }) => lease_ms));
  return Math.min(MAX_TIMER_DELAY_MS, Math.floor(shortest / 3));
}

/** Makes the next renewal earlier, never later. */
function schedule(ms) {
  if (renewing || leases.size === 0) return;
  const at = performance.now() + ms;
  if (timer && timer.at <= at) return;
  clearTimeout(timer);
  timer = setTimeout(renew, ms);
  timer.at = at;
}

async function renew() {
  timer = undefined;
  if (leases.size === 0) return;
  // A main thread that is silent for this long is considered dead: other workers may have its tasks.
  if (performance.now() - lastMessageAt > mainThreadTimeoutMs) {
    schedule(renewalIntervalMs());
    return;
  }
  renewing = true;
  const requested = [...leases.values()];
  const sentAt = performance.now();
  try {
    applyReply(requested, await sendRenewal(requested), sentAt);
    failure = null;
  } catch (error) {
    report(error);
  }
  renewing = false;
  schedule(failure === null ? renewalIntervalMs() : Math.min(renewalIntervalMs(), RETRY_DELAY_MS));
}

/** Reports why a renewal failed; the same reason is reported once. */
function report(error) {
  const why = error.cause?.message ? `${error.message}: ${error.cause.message}` : error.message;
  const now = `POST /api/heartbeats: ${why}`;
  if (now !== failure) parentPort.postMessage({ failed: now });
  failure = now;
}

async function sendRenewal(requested) {
  const response = await fetch(`${url}/api/heartbeats`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ leases: requested.map(({ task_id, lease_token }) => ({ task_id, lease_token })) }),
    signal: AbortSignal.timeout(Math.max(1_000, Math.min(MAX_REQUEST_MS, renewalIntervalMs()))),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return JSON.parse(text);
}

function applyReply(requested, { extended, lost }, sentAt) {
  const renewed = new Set(extended.map(({ task_id }) => task_id));
  for (const lease of requested) {
    // The lease was released, or the task was claimed again, during the request.
    if (leases.get(lease.task_id) !== lease) continue;
    if (renewed.has(lease.task_id)) lease.good_until = sentAt + lease.lease_ms;
    else if (lost.includes(lease.task_id)) {
      leases.delete(lease.task_id);
      parentPort.postMessage({ lost: lease.task_id, lease_token: lease.lease_token });
    }
  }
}

/** Reports leases that were not renewed in time: another worker may have the task, as the clock alone shows. */
function reportExpired() {
  clearTimeout(expiryTimer);
  const now = performance.now();
  let next = Infinity;
  for (const lease of leases.values()) {
    if (lease.warned) continue;
    if (now >= lease.good_until) {
      lease.warned = true;
      parentPort.postMessage({ expired: lease.task_id, lease_token: lease.lease_token });
    } else next = Math.min(next, lease.good_until);
  }
  expiryTimer =
    next === Infinity
      ? undefined
      : setTimeout(reportExpired, Math.min(MAX_TIMER_DELAY_MS, Math.max(20, next - now)));
}
