import { PawlProblem } from "../client/problem.ts";
import type { LiveFeed } from "./live-feed.ts";

/** What is known: the last answer, and what went wrong with the last question. */
export type Known<T> = {
  readonly data: T | undefined;
  readonly problem: PawlProblem | undefined;
  /** There is no answer yet, good or bad. */
  readonly loading: boolean;
};

export type Question<T, Event> = {
  ask(signal: AbortSignal): Promise<T>;
  concerns(event: Event): boolean;
  /** What an event makes of the answer, where it tells enough; without it the question is asked again. */
  fold?: (data: T, event: Event) => T;
};

/** A burst of events is one reason to ask again, not many. */
const GATHER_MS = 50;

/** An answer that is kept up to date by events, while somebody wants to know. */
export class LiveQuery<T, Event> {
  private known: Known<T> = { data: undefined, problem: undefined, loading: true };
  private readonly question: Question<T, Event>;
  private readonly feed: LiveFeed<Event>;
  private readonly listeners = new Set<() => void>();
  private end: (() => void) | undefined;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | undefined;
  private again = false;
  /** Heard since the question was asked that is under way: its answer may be older. */
  private since: Event[] = [];

  constructor(question: Question<T, Event>, feed: LiveFeed<Event>) {
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
      heard: (event) => {
        if (this.question.concerns(event)) this.hear(event);
      },
      connected: () => {
        this.becomeStale();
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

  private hear(event: Event): void {
    const { fold } = this.question;
    if (!fold) {
      this.becomeStale();
      return;
    }
    if (this.asking) this.since.push(event);
    const { data } = this.known;
    if (data === undefined) return;
    const changed = fold(data, event);
    if (changed !== data) this.tell({ ...this.known, data: changed });
  }

  private becomeStale(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.refetch();
    }, GATHER_MS);
  }

  private async ask(): Promise<void> {
    const asking = (this.asking = new AbortController());
    this.since = [];
    let known: Known<T>;
    try {
      const answer = await this.question.ask(asking.signal);
      const { fold } = this.question;
      const data = fold ? this.since.reduce(fold, answer) : answer;
      known = { data, problem: undefined, loading: false };
    } catch (error) {
      known = { data: this.known.data, problem: problemIn(error), loading: false };
    }
    // Nobody waits for it any more, or somebody has asked anew since.
    if (this.asking !== asking) return;
    this.asking = undefined;
    this.tell(known);
    if (!this.again) return;
    this.again = false;
    this.refetch();
  }

  private tell(known: Known<T>): void {
    this.known = known;
    for (const listener of this.listeners) listener();
  }
}

/** All but a problem is a mistake in what was asked: an id that cannot be one. */
export function problemIn(error: unknown): PawlProblem {
  if (error instanceof PawlProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new PawlProblem({ code: "VALIDATION_ERROR", status: 0, detail }, { cause: error });
}
