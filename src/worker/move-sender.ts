import { PawlProblem } from "../client/index.ts";
import type { MovedOf, Tasks } from "../client/index.ts";
import { unlessAborted } from "../std/unless-aborted.ts";
import { isTemporary } from "./retry-call.ts";

/** A move in the form that the server takes, with the idempotency key for repeats. */
export type SentMove = { id: string; action: string; lease_token: string | null; client_event_id: string };

type Moves = Pick<Tasks, "act" | "actAll">;
type Waiting = {
  move: SentMove;
  signal: AbortSignal;
  resolve: (moved: MovedOf) => void;
  reject: (error: unknown) => void;
};

/** Maximum of the route `POST /api/transitions`. */
const MAX_MOVES = 500;

/** Sends the moves of one turn of the event loop in one request: 64 reports cost little more than one. */
export class MoveSender {
  private readonly tasks: Moves;
  private readonly end: AbortSignal;
  private gathered: Waiting[] = [];

  /** `end` aborts the requests of several moves; a single move has the signal of its caller. */
  constructor(tasks: Moves, end: AbortSignal) {
    this.tasks = tasks;
    this.end = end;
  }

  send(move: SentMove, signal: AbortSignal): Promise<MovedOf> {
    if (this.gathered.length === 0)
      setImmediate(() => {
        const gathered = this.gathered;
        this.gathered = [];
        for (let at = 0; at < gathered.length; at += MAX_MOVES)
          this.sendAll(gathered.slice(at, at + MAX_MOVES));
      });
    const moved = new Promise<MovedOf>((resolve, reject) => {
      this.gathered.push({ move, signal, resolve, reject });
    });
    // A caller that stops waiting leaves; a shared request goes on for the others.
    return unlessAborted(moved, signal);
  }

  private sendAll(moves: readonly Waiting[]): void {
    const [first, ...others] = moves;
    if (first && others.length === 0) this.sendOne(first);
    else void this.sendTogether(moves);
  }

  private sendOne({ move: { id, action, ...more }, signal, resolve, reject }: Waiting): void {
    this.tasks.act(id, action, more, { signal }).then(resolve, reject);
  }

  private async sendTogether(moves: readonly Waiting[]): Promise<void> {
    try {
      const sent = moves.map(({ move }) => move);
      const answers = await this.tasks.actAll(sent, { signal: this.end });
      for (const [at, { resolve, reject }] of moves.entries()) {
        const answer = answers[at] as MovedOf | PawlProblem;
        if (answer instanceof PawlProblem) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      // The request was refused as a whole, for one of its moves or for its size: send each move alone.
      const isForAll = !(error instanceof PawlProblem) || isTemporary(error);
      for (const one of moves) {
        if (isForAll) one.reject(error);
        else this.sendOne(one);
      }
    }
  }
}
