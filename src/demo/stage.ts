import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, PawlProblem } from "../client/index.ts";
import type { DemoLanguage } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import type { Chance } from "./chance.ts";

export type Seconds = readonly [min: number, max: number];

export type StageOptions = {
  /** URL of the server that all members act through. */
  url: string;
  tokens: ReadonlyMap<string, string>;
  chance: Chance;
  language: DemoLanguage;
  /** Speed; 1 is the pace of people. */
  pace: number;
  /** Called with each refused or failed request; both are normal in the demo. */
  onProblem: (problem: PawlProblem) => void;
};

/** The first 30 seconds run five times as fast, so that visitors soon see tasks. */
const FAST_START = { seconds: 30, faster: 5 };

/** Gives the members of the demo their API clients, pauses and random choices. */
export class Stage {
  /** Random values; the same seed gives the same sequence. */
  readonly chance: Chance;
  /** Language of the demo's texts and names. */
  readonly language: DemoLanguage;
  private readonly options: StageOptions;
  private readonly clients = new Map<string, Client>();
  private readonly begunAt = Date.now();
  private readonly ending = new AbortController();

  constructor(options: StageOptions) {
    this.chance = options.chance;
    this.language = options.language;
    this.options = options;
    setMaxListeners(0, this.ending.signal);
  }

  /** Ends the demo: pending pauses are aborted, and no new action begins. */
  readonly end = (): void => {
    this.ending.abort();
  };

  /** Waits until all acts have ended; an error in one ends the others. */
  async together(acts: readonly Promise<void>[]): Promise<void> {
    const ended = await Promise.allSettled(
      acts.map((act) =>
        act.catch((error: unknown) => {
          const wasEnded = this.ending.signal.aborted;
          this.end();
          if (!wasEnded) throw error;
        }),
      ),
    );
    for (const act of ended) if (act.status === "rejected") throw act.reason;
  }

  /** The API client of one member, with the member's own token. */
  as(member_id: string): Client {
    const known = this.clients.get(member_id);
    if (known) return known;
    const { url, tokens } = this.options;
    const token = tokens.get(member_id);
    if (token === undefined) throw new Error(`the demo has no member ${member_id}`);
    const client = createClient({ url, token, retries: 2, timeoutMs: 20_000 });
    this.clients.set(member_id, client);
    return client;
  }

  /** Waits for a random time between two bounds, scaled by the pace. */
  async rest([min, max]: Seconds): Promise<void> {
    const { pace } = this.options;
    const elapsed = ((Date.now() - this.begunAt) / 1_000) * pace;
    const faster = elapsed < FAST_START.seconds ? FAST_START.faster : 1;
    const ms = (this.chance.between(min, max) * 1_000) / (pace * faster);
    await pause(Math.max(ms, 5), undefined, { signal: this.ending.signal });
  }

  /** Repeats a turn until the demo ends; a refused turn is skipped. */
  async keepOn(every: Seconds, turn: () => Promise<unknown>): Promise<void> {
    await this.rest([0, every[1]]);
    for (;;) {
      await this.attempt(turn);
      await this.rest(every);
    }
  }

  /** Runs a turn that may be refused; returns true if it succeeded. */
  async attempt(turn: () => Promise<unknown>): Promise<boolean> {
    try {
      await turn();
      return true;
    } catch (error) {
      // A refused token means that the demo is being removed.
      if (!(error instanceof PawlProblem) || error.status === 401) throw error;
      this.options.onProblem(error);
      return false;
    }
  }
}
