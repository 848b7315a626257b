import { isRefusal } from "../core/index.ts";
import { randomUUID } from "node:crypto";
import type { PawlProblem } from "../client/index.ts";
import type { Refusal } from "../core/index.ts";
import { VISITOR, visitorOf } from "./demo-script.ts";
import type { DemoScript, Visitor } from "./demo-script.ts";
import { play } from "./play.ts";

/** The demo's org in the database. */
type DemoStore<State> = {
  state(): Promise<State>;
  start(visitor: Visitor): Promise<{ kind: "started"; token: string } | Refusal>;
  stop(): Promise<void>;
  hold(node: string, ms: number): Promise<"held" | "taken" | "over">;
  letGo(node: string): Promise<void>;
  tokenFor(member_id: string): Promise<string>;
  remove(): Promise<void>;
};

export type DemoRunnerOptions<State> = {
  store: DemoStore<State>;
  /** Loads the demo scripts of the lifecycles that have one. */
  loadScripts: () => Promise<readonly DemoScript[]>;
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
export class DemoRunner<State> {
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

  /** Creates the demo or continues it; returns a token of the visitor. */
  async start(): Promise<{ kind: "started"; token: string } | Refusal> {
    const { store, loadScripts } = this.options;
    const started = await store.start(visitorOf(await loadScripts()));
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
        if (lock === "over") this.mayPlay = false;
        if (lock === "held") this.playing ??= this.play(this.url);
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

  private play(url: string): { stop: () => Promise<void> } {
    const { store, loadScripts, pace, seed, onProblem, onError } = this.options;
    const abort = new AbortController();
    const ended = (async () => {
      const token = await store.tokenFor(VISITOR.id);
      const scripts = await loadScripts();
      await play({ url, token, pace, seed, onProblem, scripts, signal: abort.signal });
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
