import { randomKey } from "../../client/request.ts";
import { isTransient } from "../../client/problem.ts";
import { followSignals } from "../../std/follow-signals.ts";
import { retryDelayMs } from "../../std/retry.ts";
import { clientWithoutRetries, PawlProblem } from "./client.ts";
import { OutboxStore } from "./outbox-store.ts";
import type { OutboxEntry } from "./outbox-store.ts";

export type NewEntry = Omit<OutboxEntry, "key" | "seq" | "queued_at" | "page" | "refusal">;

export type OutboxState = {
  /** Not carried out yet, or refused; in order. */
  entries: readonly OutboxEntry[];
  /** Carried out a moment ago: the data on the page may not show it yet. */
  sent: readonly OutboxEntry[];
  /** True if the browser stores nothing: closing the page would lose the entries. */
  isVolatile: boolean;
};

const FIRST_RETRY_MS = 1_000;
/** A tab that the system froze may hold the lock. The keys make it safe to send without it. */
const LOCK_TIMEOUT_MS = 5_000;
const MAX_SENT = 20;

/**
 * Sends the actions of one member in their order, each once: it stores them, retries while the network fails, and keeps those that
 * the server refuses. A refusal stops the later actions on the same task, which would build on it.
 */
export class Outbox {
  state: OutboxState;
  private readonly store: OutboxStore;
  private readonly onSent: (entry: OutboxEntry) => void;
  private readonly listeners = new Set<() => void>();
  private readonly lockName: string;
  private stopped = new AbortController();
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running = false;
  private runsAgain = false;

  constructor(owner: { org_id: string; id: string }, onSent: (entry: OutboxEntry) => void) {
    this.store = new OutboxStore(owner);
    this.onSent = onSent;
    this.lockName = `pawl.outbox.${owner.org_id}/${owner.id}`;
    this.state = { entries: this.store.list(), sent: [], isVolatile: false };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Sends what waits, and from now on whenever the network, the page or another tab gives a reason to. Returns the end of it. */
  start(): () => void {
    const stopped = (this.stopped = new AbortController());
    const wake = () => {
      this.wake();
    };
    const onVisible = () => {
      if (document.visibilityState === "visible") this.wake();
    };
    const onStorage = ({ key }: StorageEvent) => {
      if (!this.store.owns(key)) return;
      this.refresh();
      this.wake();
    };
    const onLeave = (event: BeforeUnloadEvent) => {
      if (this.store.isVolatile) event.preventDefault();
    };
    window.addEventListener("beforeunload", onLeave);
    window.addEventListener("online", wake);
    window.addEventListener("pageshow", wake);
    document.addEventListener("visibilitychange", onVisible);
    window.addEventListener("storage", onStorage);
    wake();
    return () => {
      stopped.abort();
      clearTimeout(this.timer);
      window.removeEventListener("beforeunload", onLeave);
      window.removeEventListener("online", wake);
      window.removeEventListener("pageshow", wake);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("storage", onStorage);
    };
  }

  /** Stores an action with a new key, and sends it as soon as possible. */
  add(entry: NewEntry): void {
    const key = randomKey();
    const seq = (this.store.list().at(-1)?.seq ?? 0) + 1;
    const page = location.pathname + location.search;
    const fields = { ...entry.fields, client_event_id: key };
    this.store.put({ ...entry, key, seq, queued_at: Date.now(), page, refusal: null, fields });
    this.refresh();
    this.wake();
  }

  discard(keys: readonly string[]): void {
    for (const key of keys) this.store.remove(key);
    this.refresh();
    this.wake();
  }

  /** Sends refused entries once more, as new actions: with new keys, and for the versions that the person sees now. */
  sendAgain(entries: readonly OutboxEntry[], versionOf: (index: number) => number): void {
    for (const [index, entry] of entries.entries()) {
      const row_version = versionOf(index);
      const isVersioned = entry.fields.expected_row_version !== undefined;
      const fields = { ...entry.fields, ...(isVersioned ? { expected_row_version: row_version } : {}) };
      this.add({ ...entry, row_version, fields });
    }
    // Last, so that nothing is lost if the page closes in between.
    this.discard(entries.map(({ key }) => key));
  }

  wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.running) this.runsAgain = true;
    else void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      for (;;) {
        this.runsAgain = false;
        if (nextOf(this.store.list(), NONE)) await this.withLock(() => this.sendAll());
        if (!this.isAskedAgain()) return;
      }
    } finally {
      this.running = false;
    }
  }

  private isAskedAgain(): boolean {
    return this.runsAgain && !this.stopped.signal.aborted;
  }

  /** Only one tab sends at a time. Pages without HTTPS have no locks; there the keys alone prevent a second effect. */
  private async withLock(send: () => Promise<void>): Promise<void> {
    const { locks } = navigator as { locks?: LockManager };
    if (!locks) return send();
    const waiting = followSignals([this.stopped.signal]);
    const timer = setTimeout(() => {
      waiting.abort(new Error("timeout"));
    }, LOCK_TIMEOUT_MS);
    let isHeld = false;
    await locks
      .request(this.lockName, { signal: waiting.signal }, () => {
        isHeld = true;
        clearTimeout(timer);
        return send();
      })
      .catch((error: unknown) => {
        if (isHeld) throw error;
        return send();
      })
      .finally(() => {
        clearTimeout(timer);
        waiting.release();
      });
  }

  private async sendAll(): Promise<void> {
    const skipped = new Set<string>();
    for (;;) {
      // Read again each time: another tab may have sent or discarded entries meanwhile.
      const entry = this.stopped.signal.aborted ? undefined : nextOf(this.store.list(), skipped);
      if (!entry) return;
      const problem = await this.send(entry);
      if (this.stopped.signal.aborted) return;
      if (problem === null) {
        this.failures = 0;
        this.settle(entry);
      } else if (isRefused(problem)) this.refuse(entry, problem);
      else {
        this.retryLater(problem);
        // Without an answer, the next request would not get one either.
        if (!isOwnFault(problem)) return;
        skipped.add(entry.task_id);
      }
    }
  }

  /** Returns null if the server has carried out the action. */
  private async send({ route, fields }: OutboxEntry): Promise<PawlProblem | null> {
    const { send } = clientWithoutRetries.calls({
      send: { ...route, idempotent: true },
    } as never) as unknown as {
      send: (fields: unknown, options: { signal: AbortSignal }) => Promise<unknown>;
    };
    try {
      await send(fields, { signal: this.stopped.signal });
      return null;
    } catch (error) {
      return error instanceof PawlProblem ? error : unexpected(error);
    }
  }

  private settle(entry: OutboxEntry): void {
    this.store.remove(entry.key);
    this.refresh([...this.state.sent, entry].slice(-MAX_SENT));
    this.onSent(entry);
  }

  private refuse(entry: OutboxEntry, { code, status, detail, next, params }: PawlProblem): void {
    if (this.store.has(entry.key))
      this.store.put({ ...entry, refusal: { code, status, detail, next, params } });
    this.refresh();
    this.onSent(entry);
  }

  private retryLater({ retryAfter, status }: PawlProblem): void {
    // The session is over: the same member sends the rest after the next sign-in.
    if (status === 401) return;
    const delay = retryDelayMs(this.failures++, { retryAfter, firstMs: FIRST_RETRY_MS });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.wake();
    }, delay);
  }

  private refresh(sent = this.state.sent): void {
    this.state = { entries: this.store.list(), sent, isVolatile: this.store.isVolatile };
    for (const listener of this.listeners) listener();
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The first entry that can be sent: no earlier one of its task was refused or skipped. */
function nextOf(entries: readonly OutboxEntry[], skipped: ReadonlySet<string>): OutboxEntry | undefined {
  const stopped = new Set(skipped);
  for (const entry of entries) {
    if (entry.refusal) stopped.add(entry.task_id);
    if (!stopped.has(entry.task_id)) return entry;
  }
  return undefined;
}

/** Codes that are about the session, the network or the request's path to the server, not about the action. */
const NOT_ABOUT_THE_ACTION = new Set([
  "CROSS_SITE_REQUEST",
  "HOST_NOT_ALLOWED",
  "UNEXPECTED_ANSWER",
  "UNAVAILABLE",
]);
const NOT_ABOUT_THE_ACTION_STATUS = new Set([401, 408, 425, 429]);

/** True if the server has decided against the action; repeating the request would not change that. */
function isRefused({ code, status }: PawlProblem): boolean {
  const isAboutAction = !NOT_ABOUT_THE_ACTION.has(code) && !NOT_ABOUT_THE_ACTION_STATUS.has(status);
  return isAboutAction && status >= 400 && status < 500;
}

/** True if the server failed at this one action: others may succeed. */
function isOwnFault(problem: PawlProblem): boolean {
  return problem.status >= 500 && !isTransient(problem);
}

function unexpected(error: unknown): PawlProblem {
  return new PawlProblem({ code: "UNAVAILABLE", status: 0, detail: String(error) }, { cause: error });
}
