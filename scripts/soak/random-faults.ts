import { FaultPlan } from "../../test/lifecycles/delivery/stand-ins/fault-plan.ts";
import type { InjectedFault } from "../../test/lifecycles/delivery/stand-ins/fault-plan.ts";
import type { RecordedFault } from "./record.ts";

/** A fault and the part of the requests that get it. `at` is from 0 to 1, for faults after some bytes. */
type Chance = readonly [part: number, fault: (at: number) => InjectedFault];
type Chances = Readonly<Record<string, readonly Chance[]>>;

const KB = 1024;
const tooManyRequests = (part: number): Chance => [
  part,
  () => ({
    kind: "status",
    status: 429,
    body: {
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    },
    headers: { "retry-after": "1" },
  }),
];
const status = (part: number, code: number, description?: string): Chance => [
  part,
  () => ({
    kind: "status",
    status: code,
    ...(description === undefined ? {} : { body: { ok: false, error_code: code, description } }),
  }),
];
const reset = (part: number, bytes = 0): Chance => [
  part,
  (at) => ({ kind: "reset", after: Math.floor(at * bytes) }),
];
const stall = (part: number, bytes = 0): Chance => [
  part,
  (at) => ({ kind: "stall", after: Math.floor(at * bytes) }),
];
const once = (part: number, kind: "lost answer" | "short" | "garbled"): Chance => [part, () => ({ kind })];

const TELEGRAM: Chances = {
  sendDocument: [
    tooManyRequests(0.02),
    status(0.015, 500),
    status(0.015, 502),
    reset(0.02, 64 * KB),
    stall(0.006, 64 * KB),
    once(0.01, "lost answer"),
    status(0.006, 403, "Forbidden: bot was blocked by the user"),
    status(0.003, 413, "Request Entity Too Large"),
  ],
  getUpdates: [tooManyRequests(0.01), status(0.02, 502), reset(0.02), stall(0.002)],
  editMessageText: [tooManyRequests(0.02), status(0.02, 500), reset(0.01), stall(0.001)],
  answerCallbackQuery: [status(0.02, 500), reset(0.01)],
  sendMessage: [tooManyRequests(0.02), status(0.02, 500), reset(0.02)],
};

const STORAGE: Chances = {
  list: [status(0.05, 503), reset(0.05)],
  meta: [
    tooManyRequests(0.02),
    status(0.03, 503),
    reset(0.02),
    stall(0.006),
    status(0.004, 404),
    status(0.002, 403),
  ],
  link: [status(0.02, 500), reset(0.02)],
  download: [status(0.02, 502), reset(0.01)],
  bytes: [
    status(0.02, 503),
    reset(0.04, 128 * KB),
    stall(0.008, 64 * KB),
    once(0.01, "short"),
    once(0.03, "garbled"),
  ],
};

const CHANCES = { telegram: TELEGRAM, storage: STORAGE };
const OUTAGE: Record<RecordedFault["side"], InjectedFault> = {
  telegram: { kind: "status", status: 502 },
  storage: { kind: "status", status: 503 },
};

/** Chooses faults at random: the same ones for the same seed and the same requests, in any order of the requests. */
export class RandomFaults extends FaultPlan {
  readonly injected: RecordedFault[] = [];
  private readonly seed: number;
  private readonly side: RecordedFault["side"];
  private readonly requests = new Map<string, number>();
  private active = false;
  private outageUntil = 0;

  constructor(side: RecordedFault["side"], seed: number) {
    super();
    this.side = side;
    this.seed = seed;
  }

  start(): void {
    this.active = true;
  }

  /** All requests fail for this time. */
  beginOutage(ms: number): void {
    this.outageUntil = Date.now() + ms;
  }

  override take(what: string, about: string): InjectedFault | null {
    if (!this.active) return null;
    const fault = this.outageUntil > Date.now() ? OUTAGE[this.side] : this.choose(what, about);
    if (fault) this.injected.push({ at: Date.now(), side: this.side, what, about, fault });
    return fault;
  }

  private choose(what: string, about: string): InjectedFault | null {
    const key = `${what} ${about}`;
    const count = this.requests.get(key) ?? 0;
    this.requests.set(key, count + 1);
    let rest = randomOf(`${this.seed} ${key} ${count}`);
    for (const [part, fault] of CHANCES[this.side][what] ?? []) {
      if (rest < part) return fault(rest / part);
      rest -= part;
    }
    return null;
  }
}

/** Returns a number from 0 to 1 that depends on the text only. */
export function randomOf(text: string): number {
  // FNV-1a, and a final mix so that similar texts give unrelated numbers.
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
