import { isRefusal } from "../core/index.ts";
import { randomUUID } from "node:crypto";
import type { DemoLanguage } from "../api/index.ts";
import type { PawlProblem } from "../client/index.ts";
import type { Refusal } from "../core/index.ts";
import { VISITOR_ID, visitorOf } from "./demo-script.ts";
import type { DemoScript, Visitor } from "./demo-script.ts";
import { play } from "./play.ts";

/** The demo's org in the database. */
type DemoStore<State> = {
  state(): Promise<State>;
  start(
    visitor: Visitor,
    options: { language: DemoLanguage; replace: boolean },
  ): Promise<{ kind: "started"; token: string } | Refusal>;
  stop(): Promise<void>;
  hold(
    node: string,
    ms: number,
  ): Promise<{ kind: "held"; language: DemoLanguage } | { kind: "taken" | "over" }>;
  letGo(node: string): Promise<void>;
  tokenFor(member_id: string): Promise<string>;
  remove(): Promise<void>;
};

export type DemoRunnerOptions<State> = {
  store: DemoStore<State>;
  /** Loads the demo scripts of the lifecycles that have one. */
  loadScripts: () => Promise<readonly DemoScript[]>;
  /** Language of a new demo, if the caller asks for none. */
  language: DemoLanguage;
  pace: number;
  seed?: number | undefined;
  onProblem?: ((problem: PawlProblem) => void) | undefined;
  /** Called with unexpected errors. */
  onError: (error: unknown) => void;
};

/** Time after which another node takes over the demo, and the interval at which a node renews its lock. */
const LOCK_MS = 20_000;
const RENEW_INTERVAL_MS = 5_000;

/** Runs the demo on one node; several nodes may try, and one at a time plays. */
export class DemoRunner<State extends { language: DemoLanguage | null }> {
  private readonly options: DemoRunnerOptions<State>;
  private readonly node = randomUUID();
  private url: string | null = null;
  private mayPlay = false;
  private timer: NodeJS.Timeout | undefined;
  private lastCheck: Promise<void> = Promise.resolve();
  private playing: { stop: () => Promise<void> } | null = null;

  constructor(options: DemoRunnerOptions<State>) {
    this.options = options;
  }

  /** Sets the server's URL; the members act only after that. */
  listensAt(url: string): void {
    this.url = url;
  }

  state(): Promise<State> {
    return this.options.store.state();
  }

  /**
   * Creates the demo or continues it; returns a token of the visitor. A demo in another language than the given one is removed, and
   * a new one created.
   */
  async start(wanted?: DemoLanguage): Promise<{ kind: "started"; token: string } | Refusal> {
    const { store, loadScripts, language: defaultLanguage } = this.options;
    const language = wanted ?? defaultLanguage;
    const replace = wanted !== undefined;
    if (replace && (await store.state()).language !== language) await this.stopPlaying();
    const started = await store.start(visitorOf(await loadScripts(), language), { language, replace });
    if (isRefusal(started)) return started;
    this.mayPlay = true;
    await this.check();
    return started;
  }

  async stop(): Promise<void> {
    await this.options.store.stop();
    await this.stopPlaying();
  }

  async remove(): Promise<void> {
    await this.stopPlaying();
    await this.options.store.remove();
  }

  /** Lets another node continue the demo. Can be called twice. */
  async close(): Promise<void> {
    await this.stopPlaying();
    await this.options.store.letGo(this.node);
  }

  private async stopPlaying(): Promise<void> {
    this.mayPlay = false;
    clearTimeout(this.timer);
    await this.lastCheck;
    await this.playing?.stop();
    this.playing = null;
  }

  /** Plays while this node has the lock and the demo is running; one check at a time. */
  private check(): Promise<void> {
    clearTimeout(this.timer);
    const { store, onError } = this.options;
    this.lastCheck = this.lastCheck
      .then(async () => {
        if (!this.mayPlay || this.url === null) return;
        const lock = await store.hold(this.node, LOCK_MS);
        if (lock.kind === "over") this.mayPlay = false;
        if (lock.kind === "held") this.playing ??= this.play(this.url, lock.language);
        else {
          await this.playing?.stop();
          this.playing = null;
        }
      })
      .catch(onError)
      .then(() => {
        if (!this.mayPlay) return;
        this.timer = setTimeout(() => void this.check(), RENEW_INTERVAL_MS);
        this.timer.unref();
      });
    return this.lastCheck;
  }

  private play(url: string, language: DemoLanguage): { stop: () => Promise<void> } {
    const { store, loadScripts, pace, seed, onProblem, onError } = this.options;
    const abort = new AbortController();
    const ended = (async () => {
      const token = await store.tokenFor(VISITOR_ID);
      const scripts = await loadScripts();
      await play({ url, token, language, pace, seed, onProblem, scripts, signal: abort.signal });
    })().catch(onError);
    const playing = {
      stop: async () => {
        abort.abort();
        await ended;
      },
    };
    // If it ended while it should run, the next check starts it again.
    void ended.then(() => {
      if (this.playing === playing) this.playing = null;
    });
    return playing;
  }
}
