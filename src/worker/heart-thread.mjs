// Runs in a thread of its own, so that a handler that keeps the main one busy does not silence it. Plain JavaScript that
// imports nothing of ours: a thread is started from a file, and this file is the same in src and in dist.
import { parentPort, workerData } from "node:worker_threads";

/** @typedef {{ task_id: string, lease_token: string, lease_ms: number, good_until: number, warned: boolean }} Kept */

const { url, headers, silenceMs } = workerData;
const LONGEST_BEAT_MS = 10_000;
const SOONEST_AGAIN_MS = 1_000;
/** The longest delay of a timer: a longer one fires at once. */
const MAX_TIMER_DELAY_MS = 2_147_483_647;

/** @type {Map<string, Kept>} */
const kept = new Map();
let heardAt = performance.now();
let beating = false;
/** The last failure that was reported since the last success. @type {string | null} */
let failure = null;
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** @type {NodeJS.Timeout | undefined} */
let watch;

parentPort.on("message", (said) => {
  heardAt = performance.now();
  if (said.keep) {
    const { task_id, lease_token, lease_ms } = said.keep;
    kept.set(task_id, { task_id, lease_token, lease_ms, good_until: heardAt + lease_ms, warned: false });
    schedule(said.beats_at_once ? 0 : everyMs());
    look();
  } else if (said.release && kept.get(said.release.task_id)?.lease_token === said.release.lease_token) {
    kept.delete(said.release.task_id);
  }
});

/** A third of the shortest lease, so that two renewals may fail. Whole milliseconds, as `AbortSignal.timeout` requires. */
function everyMs() {
  const shortest = Math.min(...[...kept.values()].map(({ lease_ms }) => lease_ms));
  return Math.min(MAX_TIMER_DELAY_MS, Math.floor(shortest / 3));
}

/** Brings the next beat forward, never puts it off. */
function schedule(ms) {
  if (beating || kept.size === 0) return;
  const at = performance.now() + ms;
  if (timer && timer.at <= at) return;
  clearTimeout(timer);
  timer = setTimeout(beat, ms);
  timer.at = at;
}

async function beat() {
  timer = undefined;
  if (kept.size === 0) return;
  // Whoever does not answer for so long will never finish: his tasks are for others.
  if (performance.now() - heardAt > silenceMs) {
    schedule(everyMs());
    return;
  }
  beating = true;
  const asked = [...kept.values()];
  const sentAt = performance.now();
  try {
    hear(asked, await ask(asked), sentAt);
    failure = null;
  } catch (error) {
    report(error);
  }
  beating = false;
  schedule(failure === null ? everyMs() : Math.min(everyMs(), SOONEST_AGAIN_MS));
}

/** Reports why a renewal failed; the same reason is reported once. */
function report(error) {
  const why = error.cause?.message ? `${error.message}: ${error.cause.message}` : error.message;
  const now = `POST /api/heartbeats: ${why}`;
  if (now !== failure) parentPort.postMessage({ failed: now });
  failure = now;
}

async function ask(leases) {
  const response = await fetch(`${url}/api/heartbeats`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ leases: leases.map(({ task_id, lease_token }) => ({ task_id, lease_token })) }),
    signal: AbortSignal.timeout(Math.max(1_000, Math.min(LONGEST_BEAT_MS, everyMs()))),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return JSON.parse(text);
}

function hear(asked, { extended, lost }, sentAt) {
  const renewed = new Set(extended.map(({ task_id }) => task_id));
  for (const lease of asked) {
    // Let go, or claimed anew, while we asked.
    if (kept.get(lease.task_id) !== lease) continue;
    if (renewed.has(lease.task_id)) lease.good_until = sentAt + lease.lease_ms;
    else if (lost.includes(lease.task_id)) {
      kept.delete(lease.task_id);
      parentPort.postMessage({ lost: lease.task_id, lease_token: lease.lease_token });
    }
  }
}

/** A lease that nobody could renew in time may be somebody else's by now: that is known without asking. */
function look() {
  clearTimeout(watch);
  const now = performance.now();
  let next = Infinity;
  for (const lease of kept.values()) {
    if (lease.warned) continue;
    if (now >= lease.good_until) {
      lease.warned = true;
      parentPort.postMessage({ expired: lease.task_id, lease_token: lease.lease_token });
    } else next = Math.min(next, lease.good_until);
  }
  watch =
    next === Infinity ? undefined : setTimeout(look, Math.min(MAX_TIMER_DELAY_MS, Math.max(20, next - now)));
}
