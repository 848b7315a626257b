import { isRefusal } from "../core/index.ts";
import { randomUUID } from "node:crypto";
import type { PawlProblem } from "../client/index.ts";
import type { Refusal } from "../core/index.ts";
import { VISITOR, visitorOf } from "./demo-script.ts";
import type { DemoScript, Visitor } from "./demo-script.ts";
import { play } from "./play.ts";

/** The org that the demo has for itself, as the engine keeps it. */
type DemoHouse<State> = {
  state(): Promise<State>;
  start(visitor: Visitor): Promise<{ kind: "started"; token: string } | Refusal>;
  stop(): Promise<void>;
  hold(node: string, ms: number): Promise<"held" | "taken" | "over">;
  letGo(node: string): Promise<void>;
  tokenFor(member_id: string): Promise<string>;
  remove(): Promise<void>;
};

export type KeeperOptions<State> = {
  house: DemoHouse<State>;
  /** Loads the scripts of the lifecycles that have one. */
  loadScripts: () => Promise<readonly DemoScript[]>;
  pace: number;
  seed?: number | undefined;
  onMishap?: ((problem: PawlProblem) => void) | undefined;
  /** Hears of what should not have happened. */
  onFault: (error: unknown) => void;
};

/** How long a node may be silent before another one plays on, and how often it says that it is there. */
const HELD_MS = 20_000;
const BEAT_MS = 5_000;

/** Looks after the demo on one node: of all nodes that were told to, one lets its members act. */
export class DemoKeeper<State> {
  private readonly options: KeeperOptions<State>;
  private readonly node = randomUUID();
  private url: string | null = null;
  private willing = false;
  private beat: NodeJS.Timeout | undefined;
  private turn: Promise<void> = Promise.resolve();
  private playing: { stop: () => Promise<void> } | null = null;

  constructor(options: KeeperOptions<State>) {
    this.options = options;
  }

  /** Tells where the server listens by now; before that nobody acts. */
  listensAt(url: string): void {
    this.url = url;
  }

  state(): Promise<State> {
    return this.options.house.state();
  }

  /** Makes the demo, or lets it go on; gives the way in. */
  async start(): Promise<{ kind: "started"; token: string } | Refusal> {
    const { house, loadScripts } = this.options;
    const started = await house.start(visitorOf(await loadScripts()));
    if (isRefusal(started)) return started;
    this.willing = true;
    await this.look();
    return started;
  }

  async stop(): Promise<void> {
    await this.options.house.stop();
    await this.rest();
  }

  async remove(): Promise<void> {
    await this.rest();
    await this.options.house.remove();
  }

  /** Another node that is willing may go on. May be called twice. */
  async close(): Promise<void> {
    await this.rest();
    await this.options.house.letGo(this.node);
  }

  private async rest(): Promise<void> {
    this.willing = false;
    clearTimeout(this.beat);
    await this.turn;
    await this.playing?.stop();
    this.playing = null;
  }

  /** Plays as long as nobody else does and nobody has stopped it; one look at a time. */
  private look(): Promise<void> {
    clearTimeout(this.beat);
    const { house, onFault } = this.options;
    this.turn = this.turn
      .then(async () => {
        if (!this.willing || this.url === null) return;
        const place = await house.hold(this.node, HELD_MS);
        if (place === "over") this.willing = false;
        if (place === "held") this.playing ??= this.play(this.url);
        else {
          await this.playing?.stop();
          this.playing = null;
        }
      })
      .catch(onFault)
      .then(() => {
        if (!this.willing) return;
        this.beat = setTimeout(() => void this.look(), BEAT_MS);
        this.beat.unref();
      });
    return this.turn;
  }

  private play(url: string): { stop: () => Promise<void> } {
    const { house, loadScripts, pace, seed, onMishap, onFault } = this.options;
    const ending = new AbortController();
    const over = (async () => {
      const token = await house.tokenFor(VISITOR.id);
      const scripts = await loadScripts();
      await play({ url, token, pace, seed, onMishap, scripts, signal: ending.signal });
    })().catch(onFault);
    const playing = {
      stop: async () => {
        ending.abort();
        await over;
      },
    };
    // Whatever ended it: the next look begins it anew, if it is still to be played.
    void over.then(() => {
      if (this.playing === playing) this.playing = null;
    });
    return playing;
  }
}
