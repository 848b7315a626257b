import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { EventStream } from "../../plugin/index.ts";
import type { By, Engine, Recognise } from "../../plugin/index.ts";
import { onWire } from "./api.ts";
import type { CodeOutput } from "./api.ts";
import { readOutput, saveOutput } from "./sql/output.ts";
import type { OutputRow, Saying } from "./sql/output.ts";

/** Of one attempt so much is kept here: enough to see what happened, too little to fill a database. */
const MOST_BYTES_OF_A_RUN = 4_194_304;
const PAGE = 200;
/** What other nodes were told is found by looking. */
const LOOK_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 5_000;

/** What agents say: kept, read, and told on as it comes. */
export class OutputBoard {
  private readonly engine: Engine;
  private readonly said = new EventEmitter().setMaxListeners(0);

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async keep(org_id: string, saying: Saying): Promise<{ held: boolean; kept: boolean }> {
    const kept = await this.engine.transaction((tx) => saveOutput(tx, org_id, saying, MOST_BYTES_OF_A_RUN));
    if (kept.kept) this.said.emit(`${org_id} ${saying.task_id}`);
    return kept;
  }

  /** All that was said in an attempt, or in the last one. */
  async log(org_id: string, task_id: string, run: number | null): Promise<string> {
    const rows: OutputRow[] = [];
    for (;;) {
      const after = rows.at(-1)?.seq ?? 0;
      const page = await this.engine.transaction((tx) =>
        readOutput(tx, org_id, { task_id, after, run, limit: PAGE }),
      );
      rows.push(...page);
      if (page.length < PAGE) break;
    }
    const last = run ?? rows.at(-1)?.run;
    return rows.flatMap((row) => (row.run === last ? [row.said] : [])).join("");
  }

  /** Tells on a response whose head has been sent, until its reader goes, may no longer read, or the server stops. */
  stream(
    response: ServerResponse,
    asked: { by: By; task_id: string; after: number; recognise: Recognise; signal: AbortSignal },
  ): void {
    const { by, task_id, after, recognise, signal } = asked;
    const reader = new EventStream(response, { by, recognise, position: after });
    const timers = [
      setInterval(() => {
        reader.beat();
      }, BEAT_EVERY_MS),
      setInterval(() => void reader.check().catch(() => undefined), CHECK_EVERY_MS),
    ];
    const stop = () => {
      for (const timer of timers) clearInterval(timer);
      reader.dismiss();
    };
    signal.addEventListener("abort", stop, { once: true });
    void this.tellOn(reader, by.org_id, task_id, signal).catch(() => {
      reader.destroy();
    });
  }

  private async tellOn(
    reader: EventStream,
    org_id: string,
    task_id: string,
    signal: AbortSignal,
  ): Promise<void> {
    while (reader.isOpen && !signal.aborted) {
      // Listened for before it is looked: what comes meanwhile is not missed.
      const more = this.next(`${org_id} ${task_id}`, signal);
      const rows = await this.engine.transaction((tx) =>
        readOutput(tx, org_id, { task_id, after: reader.position, run: null, limit: PAGE }),
      );
      reader.send(Buffer.from(rows.map(asEvent).join("")));
      reader.position = rows.at(-1)?.seq ?? reader.position;
      await reader.drained();
      if (rows.length < PAGE) await more;
    }
  }

  private next(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.said.off(name, wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, LOOK_EVERY_MS);
      this.said.once(name, wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

function asEvent({ seq, run, said, created_at }: OutputRow): string {
  const told: CodeOutput = { run, text: said, created_at: onWire(created_at) };
  return `id: ${seq}\ndata: ${JSON.stringify(told)}\n\n`;
}
