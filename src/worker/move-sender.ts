import { PawlProblem } from "../client/index.ts";
import type { MovedOf, Tasks } from "../client/index.ts";
import { isTemporary } from "./retry-call.ts";

/** A move as the server is sent it, with the key by which it can be repeated. */
export type SentMove = { id: string; action: string; lease_token: string | null; client_event_id: string };

type Moves = Pick<Tasks, "act" | "actAll">;
type Waiting = {
  move: SentMove;
  signal: AbortSignal;
  resolve: (moved: MovedOf) => void;
  reject: (error: unknown) => void;
};

/** The most that the server takes in one request. */
const MAX_MOVES = 500;

/** Sends moves that come in one turn of the event loop by one request: 64 reports cost little more than one. */
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
    return new Promise((resolve, reject) => {
      this.gathered.push({ move, signal, resolve, reject });
    });
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
    const leave = moves.map(leaveOnAbort);
    try {
      const sent = moves.map(({ move }) => move);
      const answers = await this.tasks.actAll(sent, { signal: this.end });
      for (const [at, { resolve, reject }] of moves.entries()) {
        const answer = answers[at] as MovedOf | PawlProblem;
        if (answer instanceof PawlProblem) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      // Refused as a whole, for one of them or for their size: each is sent by itself.
      const isForAll = !(error instanceof PawlProblem) || isTemporary(error);
      for (const one of moves) {
        if (isForAll) one.reject(error);
        else this.sendOne(one);
      }
    } finally {
      for (const forget of leave) forget();
    }
  }
}

/** A caller that waits no longer leaves; the request goes on for the others. */
function leaveOnAbort({ signal, reject }: Waiting): () => void {
  const leave = () => {
    reject(signal.reason);
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  return () => {
    signal.removeEventListener("abort", leave);
  };
}
