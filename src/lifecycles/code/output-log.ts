import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { EventStream } from "../../plugin/index.ts";
import type { Caller, Engine, Identify } from "../../plugin/index.ts";
import { onWire } from "./api.ts";
import type { CodeOutput } from "./api.ts";
import { readOutput, saveOutput } from "./sql/output.ts";
import type { OutputRow, OutputChunk } from "./sql/output.ts";

/** Output kept per attempt; the worker's log file contains everything. */
const MAX_BYTES_PER_RUN = 4_194_304;
const PAGE_SIZE = 200;
/** Other nodes do not notify this one, so their output is found by polling. */
const POLL_INTERVAL_MS = 1_000;
const HEARTBEAT_INTERVAL_MS = 15_000;
const CHECK_INTERVAL_MS = 5_000;

/** The output of agents: stores it, reads it, and streams it live. */
export class OutputLog {
  private readonly engine: Engine;
  private readonly appended = new EventEmitter().setMaxListeners(0);

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async append(org_id: string, chunk: OutputChunk): Promise<{ held: boolean; kept: boolean }> {
    const result = await this.engine.transaction((tx) => saveOutput(tx, org_id, chunk, MAX_BYTES_PER_RUN));
    if (result.kept) this.appended.emit(`${org_id} ${chunk.task_id}`);
    return result;
  }

  /** Reads the output of an attempt, by default the last one. */
  async read(org_id: string, task_id: string, run: number | null): Promise<string> {
    const rows: OutputRow[] = [];
    for (;;) {
      const after = rows.at(-1)?.seq ?? 0;
      const page = await this.engine.transaction((tx) =>
        readOutput(tx, org_id, { task_id, after, run, limit: PAGE_SIZE }),
      );
      rows.push(...page);
      if (page.length < PAGE_SIZE) break;
    }
    const last = run ?? rows.at(-1)?.run;
    return rows.flatMap((row) => (row.run === last ? [row.said] : [])).join("");
  }

  /** Streams to a response whose head is sent, until the reader disconnects, loses access, or the server stops. */
  stream(
    response: ServerResponse,
    request: { caller: Caller; task_id: string; after: number; identify: Identify; signal: AbortSignal },
  ): void {
    const { caller, task_id, after, identify, signal } = request;
    const reader = new EventStream(response, { caller, identify, position: after });
    const timers = [
      setInterval(() => {
        reader.sendHeartbeat();
      }, HEARTBEAT_INTERVAL_MS),
      setInterval(() => void reader.check().catch(() => undefined), CHECK_INTERVAL_MS),
    ];
    const stop = () => {
      for (const timer of timers) clearInterval(timer);
      reader.dismiss();
    };
    signal.addEventListener("abort", stop, { once: true });
    void this.sendOutput(reader, caller.org_id, task_id, signal).catch(() => {
      reader.destroy();
    });
  }

  private async sendOutput(
    reader: EventStream,
    org_id: string,
    task_id: string,
    signal: AbortSignal,
  ): Promise<void> {
    while (reader.isOpen && !signal.aborted) {
      // Subscribe before reading, so that no output is missed in between.
      const more = this.waitForOutput(`${org_id} ${task_id}`, signal);
      const rows = await this.engine.transaction((tx) =>
        readOutput(tx, org_id, { task_id, after: reader.position, run: null, limit: PAGE_SIZE }),
      );
      reader.send(Buffer.from(rows.map(asEvent).join("")));
      reader.position = rows.at(-1)?.seq ?? reader.position;
      await reader.drained();
      if (rows.length < PAGE_SIZE) await more;
    }
  }

  private waitForOutput(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.appended.off(name, wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_INTERVAL_MS);
      this.appended.once(name, wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

function asEvent({ seq, run, said, created_at }: OutputRow): string {
  const data: CodeOutput = { run, text: said, created_at: onWire(created_at) };
  return `id: ${seq}\ndata: ${JSON.stringify(data)}\n\n`;
}
