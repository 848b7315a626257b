import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import type { Chance } from "./chance.ts";

export type Seconds = readonly [least: number, most: number];

export type StageOptions = {
  /** Where the server is that everybody acts through. */
  url: string;
  tokens: ReadonlyMap<string, string>;
  chance: Chance;
  /** 1 is a human's. */
  pace: number;
  /** Hears of refusals and faults; both are part of life. */
  onMishap: (problem: PawlProblem) => void;
};

/** Nobody wants to look at an empty stage: the first half minute is told faster. */
const OVERTURE = { seconds: 30, faster: 5 };

/** What the members of the demo stand on: their clients, their time, and chance. */
export class Stage {
  readonly chance: Chance;
  private readonly options: StageOptions;
  private readonly clients = new Map<string, Client>();
  private readonly begunAt = Date.now();
  private readonly ending = new AbortController();

  constructor(options: StageOptions) {
    this.chance = options.chance;
    this.options = options;
    setMaxListeners(0, this.ending.signal);
  }

  /** Everybody finishes what he is at, and rests for good. */
  readonly end = (): void => {
    this.ending.abort();
  };

  /** Waits until all have ended; a fault of one ends the play for the others. */
  async together(acts: readonly Promise<void>[]): Promise<void> {
    const ended = await Promise.allSettled(
      acts.map((act) =>
        act.catch((error: unknown) => {
          const meant = this.ending.signal.aborted;
          this.end();
          if (!meant) throw error;
        }),
      ),
    );
    for (const act of ended) if (act.status === "rejected") throw act.reason;
  }

  /** The API as one member uses it, with a token of his own. */
  as(member_id: string): Client {
    const known = this.clients.get(member_id);
    if (known) return known;
    const { url, tokens } = this.options;
    const token = tokens.get(member_id);
    if (token === undefined) throw new Error(`nobody is called ${member_id}`);
    const client = createClient({ url, token, retries: 2, timeoutMs: 20_000 });
    this.clients.set(member_id, client);
    return client;
  }

  /** Lets time pass, as much as that is for a person. */
  async rest([least, most]: Seconds): Promise<void> {
    const { pace } = this.options;
    const elapsed = ((Date.now() - this.begunAt) / 1_000) * pace;
    const faster = elapsed < OVERTURE.seconds ? OVERTURE.faster : 1;
    const ms = (this.chance.between(least, most) * 1_000) / (pace * faster);
    await pause(Math.max(ms, 5), undefined, { signal: this.ending.signal });
  }

  /** Does something again and again until the play is over; what is refused is left, and the next turn comes. */
  async keepOn(every: Seconds, turn: () => Promise<unknown>): Promise<void> {
    await this.rest([0, every[1]]);
    for (;;) {
      await this.attempt(turn);
      await this.rest(every);
    }
  }

  /** Does something that may be refused; says whether it was done. */
  async attempt(turn: () => Promise<unknown>): Promise<boolean> {
    try {
      await turn();
      return true;
    } catch (error) {
      // A token that is refused is the end: the demo is being taken away.
      if (!(error instanceof PawlProblem) || error.status === 401) throw error;
      this.options.onMishap(error);
      return false;
    }
  }
}
