import type { FeedEvent } from "../feed.ts";
import { PawlProblem } from "../problem.ts";
import type { LiveFeed } from "./live-feed.ts";

/** What is known: the last answer, and what went wrong with the last question. */
export type Known<T> = {
  readonly data: T | undefined;
  readonly problem: PawlProblem | undefined;
  /** There is no answer yet, good or bad. */
  readonly loading: boolean;
};

export type Question<T> = {
  ask(signal: AbortSignal): Promise<T>;
  concerns(event: FeedEvent): boolean;
};

/** A burst of events is one reason to ask again, not many. */
const GATHER_MS = 50;

/** An answer that is asked for again whenever an event says that it is stale, while somebody wants to know. */
export class LiveQuery<T> {
  private known: Known<T> = { data: undefined, problem: undefined, loading: true };
  private readonly question: Question<T>;
  private readonly feed: LiveFeed;
  private readonly listeners = new Set<() => void>();
  private end: (() => void) | undefined;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | undefined;
  private again = false;

  constructor(question: Question<T>, feed: LiveFeed) {
    this.question = question;
    this.feed = feed;
  }

  readonly get = (): Known<T> => this.known;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.end) this.begin();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.end?.();
    };
  };

  /** Asks now, or as soon as the question that is under way is answered. */
  readonly refetch = (): void => {
    if (this.asking) this.again = true;
    else if (this.end) void this.ask();
  };

  private begin(): void {
    const unwatch = this.feed.watch({
      concerns: (event) => this.question.concerns(event),
      stale: () => {
        this.gathering ??= setTimeout(() => {
          this.gathering = undefined;
          this.refetch();
        }, GATHER_MS);
      },
    });
    this.end = () => {
      this.end = undefined;
      unwatch();
      clearTimeout(this.gathering);
      this.gathering = undefined;
      this.asking?.abort();
      this.asking = undefined;
      this.again = false;
    };
    void this.ask();
  }

  private async ask(): Promise<void> {
    const asking = (this.asking = new AbortController());
    let known: Known<T>;
    try {
      const data = await this.question.ask(asking.signal);
      known = { data, problem: undefined, loading: false };
    } catch (error) {
      known = { data: this.known.data, problem: problemIn(error), loading: false };
    }
    // Nobody waits for it any more, or somebody has asked anew since.
    if (this.asking !== asking) return;
    this.asking = undefined;
    this.known = known;
    for (const listener of this.listeners) listener();
    if (!this.again) return;
    this.again = false;
    this.refetch();
  }
}

/** All but a problem is a mistake in what was asked: an id that cannot be one. */
export function problemIn(error: unknown): PawlProblem {
  if (error instanceof PawlProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new PawlProblem({ code: "VALIDATION_ERROR", status: 0, detail }, { cause: error });
}
