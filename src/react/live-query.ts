import { PawlProblem } from "../client/problem.ts";
import type { LiveFeed } from "./live-feed.ts";

/** The last answer, and the problem of the last attempt. */
export type QueryState<T> = {
  readonly data: T | undefined;
  readonly problem: PawlProblem | undefined;
  /** Neither an answer nor a problem has arrived yet. */
  readonly loading: boolean;
};

/** A query, and how events affect its answer. */
export type Question<T, Event> = {
  /** Fetches the answer. */
  ask(signal: AbortSignal): Promise<T>;
  /** Combines a fetched answer with the one that is shown when it arrives; without it, the fetched one replaces it. */
  merge?: (fetched: T, shown: T) => T;
  /** Whether an event may change the answer. */
  concerns(event: Event): boolean;
  /** Applies an event to the answer; without it, each event leads to a new fetch. */
  fold?: (data: T, event: Event) => T;
};

/** Delay between an event and the fetch, so that a burst of events leads to one fetch. */
const REFETCH_DELAY_MS = 50;

/** An answer that events keep up to date while it has subscribers. */
export class LiveQuery<T, Event> {
  private state: QueryState<T> = { data: undefined, problem: undefined, loading: true };
  private readonly question: Question<T, Event>;
  private readonly feed: LiveFeed<Event>;
  private readonly listeners = new Set<() => void>();
  private end: (() => void) | undefined;
  private refetchTimer: ReturnType<typeof setTimeout> | undefined;
  private fetching: AbortController | undefined;
  private refetchAfter = false;
  /** Events received since the current fetch began: its answer may be older. */
  private newEvents: Event[] = [];

  constructor(question: Question<T, Event>, feed: LiveFeed<Event>) {
    this.question = question;
    this.feed = feed;
  }

  readonly get = (): QueryState<T> => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.end) this.begin();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.end?.();
    };
  };

  /** Fetches now, or after the current fetch. */
  readonly refetch = (): void => {
    if (this.fetching) this.refetchAfter = true;
    else if (this.end) void this.fetch();
  };

  private begin(): void {
    const unwatch = this.feed.watch({
      onEvent: (event) => {
        if (this.question.concerns(event)) this.applyEvent(event);
      },
      onConnected: () => {
        this.scheduleRefetch();
      },
    });
    this.end = () => {
      this.end = undefined;
      unwatch();
      clearTimeout(this.refetchTimer);
      this.refetchTimer = undefined;
      this.fetching?.abort();
      this.fetching = undefined;
      this.refetchAfter = false;
    };
    void this.fetch();
  }

  private applyEvent(event: Event): void {
    const { fold } = this.question;
    if (!fold) {
      this.scheduleRefetch();
      return;
    }
    if (this.fetching) this.newEvents.push(event);
    const { data } = this.state;
    if (data === undefined) return;
    const changed = fold(data, event);
    if (changed !== data) this.update({ ...this.state, data: changed });
  }

  private scheduleRefetch(): void {
    this.refetchTimer ??= setTimeout(() => {
      this.refetchTimer = undefined;
      this.refetch();
    }, REFETCH_DELAY_MS);
  }

  private async fetch(): Promise<void> {
    const fetching = (this.fetching = new AbortController());
    this.newEvents = [];
    let state: QueryState<T>;
    try {
      const fetched = await this.question.ask(fetching.signal);
      const { fold, merge } = this.question;
      const shown = this.state.data;
      const answer = merge && shown !== undefined ? merge(fetched, shown) : fetched;
      const data = fold ? this.newEvents.reduce(fold, answer) : answer;
      state = { data, problem: undefined, loading: false };
    } catch (error) {
      state = { data: this.state.data, problem: problemIn(error), loading: false };
    }
    // The last subscriber is gone, or a newer fetch has begun.
    if (this.fetching !== fetching) return;
    this.fetching = undefined;
    this.update(state);
    if (!this.refetchAfter) return;
    this.refetchAfter = false;
    this.refetch();
  }

  private update(state: QueryState<T>): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** Turns an error into a problem; errors that are not problems come from invalid arguments, such as an empty id. */
export function problemIn(error: unknown): PawlProblem {
  if (error instanceof PawlProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new PawlProblem({ code: "VALIDATION_ERROR", status: 0, detail }, { cause: error });
}
