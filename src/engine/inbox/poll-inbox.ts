import type { InboxGroup } from "../sql/pick-inbox.ts";
import { isUnavailable } from "../../postgres/index.ts";
import { timerDelay } from "../../std/timer-delay.ts";
import { withTimeout } from "../../std/with-timeout.ts";
import type { Sweeper } from "../upkeep/sweeper.ts";
import type { Inbox } from "./inbox.ts";

type InboxPollOptions = {
  everyMs: number;
  /** Called when a request fails, and once when the polls of the inbox or of an org begin to fail. */
  onFault?: ((error: unknown) => void) | undefined;
};

/** Orgs in progress at the same time: one whose commits have to wait does not stop the others. */
const MAX_ORGS = 4;
const MAX_BATCH = 200;
/** Batches of each group before other orgs have their turn. */
const MAX_ROUNDS = 10;
const STOP_TIMEOUT_MS = 10_000;

/** Polls the inbox and creates the tasks of its requests, until stopped. */
export function startInboxPoll(inbox: Pick<Inbox, "groups" | "admit">, options: InboxPollOptions): Sweeper {
  const poll = new InboxPoll(inbox, options);
  poll.schedule();
  return poll;
}

class InboxPoll implements Sweeper {
  private readonly inbox: Pick<Inbox, "groups" | "admit">;
  private readonly options: InboxPollOptions;
  private readonly running = new Map<string, Promise<void>>();
  /** Orgs in the order of their last turn. */
  private turns: string[] = [];
  /** Batch sizes of groups whose batches were too much for the database. */
  private readonly limits = new Map<string, number>();
  private listing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** The orgs whose batches fail; "" if the list of groups cannot be read. */
  private readonly failing = new Set<string>();

  constructor(inbox: Pick<Inbox, "groups" | "admit">, options: InboxPollOptions) {
    this.inbox = inbox;
    this.options = options;
  }

  schedule(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.listing = this.startGroups().then(() => {
        this.schedule();
      });
    }, timerDelay(this.options.everyMs));
    // The timer must not keep the process of a library user alive.
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    const all = this.listing.then(() => Promise.all(this.running.values()));
    await withTimeout(all, STOP_TIMEOUT_MS, () => undefined);
  }

  /** Starts the orgs that have due requests, those with the earliest turn first. */
  private async startGroups(): Promise<void> {
    try {
      const byOrg = new Map<string, InboxGroup[]>();
      for (const group of await this.inbox.groups())
        byOrg.set(group.org_id, [...(byOrg.get(group.org_id) ?? []), group]);
      this.turns = this.turns.filter((org_id) => byOrg.has(org_id));
      const waiting = [...byOrg.keys()].filter((org_id) => !this.running.has(org_id));
      waiting.sort((a, b) => this.turns.indexOf(a) - this.turns.indexOf(b));
      for (const org_id of waiting.slice(0, Math.max(0, MAX_ORGS - this.running.size)))
        this.start(org_id, byOrg.get(org_id) ?? []);
      this.failing.delete("");
    } catch (error) {
      this.report("", error);
    }
  }

  private start(org_id: string, groups: readonly InboxGroup[]): void {
    if (this.isStopped) return;
    this.turns = [...this.turns.filter((one) => one !== org_id), org_id];
    const work = this.admitAll(groups)
      .then(
        (progress) => {
          this.failing.delete(org_id);
          return progress;
        },
        (error: unknown) => {
          this.report(org_id, error);
          return false;
        },
      )
      .then(async (progress) => {
        this.running.delete(org_id);
        // Without progress, for example if another node has locked the requests, the next poll continues.
        if (progress && !this.isStopped) await this.startGroups();
      });
    this.running.set(org_id, work);
  }

  /** Runs batches of all groups in turn; returns whether any request was decided. */
  private async admitAll(groups: readonly InboxGroup[]): Promise<boolean> {
    let left = groups;
    let progress = false;
    for (let round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
      const more: InboxGroup[] = [];
      for (const group of left) if (!this.isStopped && (await this.admit(group))) more.push(group);
      progress ||= more.length > 0;
      left = more;
    }
    return progress;
  }

  /** Runs one batch; returns false when the group has nothing to do at the moment. */
  private async admit(group: InboxGroup): Promise<boolean> {
    const name = JSON.stringify(group);
    const limit = this.limits.get(name) ?? MAX_BATCH;
    try {
      const admissions = await this.inbox.admit(group, limit);
      if (limit * 2 < MAX_BATCH) this.limits.set(name, limit * 2);
      else this.limits.delete(name);
      for (const one of admissions)
        if (one.kind === "later" && one.failure !== undefined)
          this.options.onFault?.(
            new Error(
              `request ${one.id} in the inbox of org ${group.org_id} failed; it is tried again later`,
              {
                cause: one.failure,
              },
            ),
          );
      return admissions.some(({ kind }) => kind !== "later");
    } catch (error) {
      // Approach a request that is too much for the database: alone in its batch, it is put off.
      if (isUnavailable(error)) this.limits.set(name, Math.max(1, Math.floor(limit / 4)));
      throw error;
    }
  }

  private report(org_id: string, error: unknown): void {
    if (!this.failing.has(org_id)) this.options.onFault?.(error);
    this.failing.add(org_id);
  }
}
