import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Lifecycle, Refusal } from "../../core/index.ts";
import { Again, Failed } from "../../engine/index.ts";
import type {
  Census,
  ClaimCommand,
  Claimed,
  CreateCommand,
  CreatedTasks,
  EngineObserver,
  PerformCommand,
  Performed,
  Settled,
  Swept,
} from "../../engine/index.ts";

/** Counting what is unfinished costs as much as there is of it, however many ask. */
const COUNT_EVERY_MS = 10_000;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** A node's figures in Prometheus' words. Those with `tasks` in their names are of the database, and the same on every node. */
export class Metrics implements EngineObserver {
  /** Known by their definitions: what callers send must not become labels without end. */
  private actions: ReadonlySet<string> = new Set();
  private poolActions: ReadonlyMap<string, string> = new Map();
  private readonly register = new Registry();
  private readonly registers = [this.register];
  private census: { at: number; counted: Promise<Census> } | null = null;

  private readonly tasks = this.gauge("pawl_tasks", "Unfinished tasks", ["lifecycle", "status"]);
  private readonly attention = this.gauge(
    "pawl_tasks_needing_attention",
    "Unfinished tasks that somebody should look at: stuck, worn out, or waiting for what has failed",
    ["lifecycle", "status"],
  );
  private readonly waiting = this.gauge("pawl_tasks_waiting", "Tasks that could be taken now", ["lifecycle"]);
  private readonly oldest = this.gauge(
    "pawl_tasks_oldest_waiting_seconds",
    "How long the longest waiting one waits",
    ["lifecycle"],
  );
  private readonly lag = this.gauge(
    "pawl_tasks_sweep_lag_seconds",
    "How long the first timer that ran out has waited",
  );
  private readonly connections = this.gauge(
    "pawl_database_connections",
    "Connections to the database, of all nodes",
    ["state"],
  );
  private readonly readers = this.gauge("pawl_stream_readers", "Streams of events that are being read");
  private readonly transitions = new Counter({
    name: "pawl_transitions_total",
    help: "What was asked for of this node, by outcome",
    labelNames: ["lifecycle", "action", "outcome"],
    registers: this.registers,
  });
  private readonly batchSize = this.histogram(
    "pawl_batch_size",
    "Commands that shared a transaction",
    ["verb"],
    SIZES,
  );
  private readonly batchSeconds = this.histogram(
    "pawl_batch_seconds",
    "How long a transaction took",
    ["verb"],
    SECONDS,
  );
  private readonly sweepSeconds = this.histogram(
    "pawl_sweep_seconds",
    "How long a sweep of this node took",
    [],
    SECONDS,
  );
  private readonly sweeps = new Counter({
    name: "pawl_sweep_timers_total",
    help: "Timers that sweeps of this node acted upon, or put off",
    labelNames: ["outcome"],
    registers: this.registers,
  });
  private readonly requestSeconds = this.histogram(
    "pawl_http_request_seconds",
    "How long answers took",
    ["method", "route", "status"],
    SECONDS,
  );

  private readonly droppedLogLines = new Counter({
    name: "pawl_log_lines_dropped_total",
    help: "Log lines that could not be written",
    registers: this.registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.register });
  }

  /** Whose actions may stand as `action`. */
  know(lifecycles: readonly Lifecycle[]): void {
    this.actions = new Set(["create", ...lifecycles.flatMap(({ actions }) => Object.keys(actions))]);
    this.poolActions = new Map(lifecycles.flatMap(({ name, pool }) => (pool ? [[name, pool.action]] : [])));
  }

  settled({ verb, answered, ms }: Settled): void {
    this.batchSize.observe({ verb }, answered.length);
    this.batchSeconds.observe({ verb }, ms / 1_000);
    const tally = new Map<string, number>();
    for (const { command, outcome } of answered)
      for (const labels of OUTCOMES[verb](command, outcome)) tally.set(labels, (tally.get(labels) ?? 0) + 1);
    for (const [labels, times] of tally) {
      const [lifecycle = "", action = "", outcome = ""] = labels.split("\n");
      const meant = verb === "claim" ? (this.poolActions.get(lifecycle) ?? action) : action;
      const known = this.actions.has(meant) ? meant : "unknown";
      this.transitions.inc({ lifecycle, action: known, outcome }, times);
    }
  }

  swept({ moved, put_off, ms }: Swept & { ms: number }): void {
    this.sweepSeconds.observe(ms / 1_000);
    this.sweeps.inc({ outcome: "moved" }, moved);
    this.sweeps.inc({ outcome: "put_off" }, put_off.length);
  }

  logLineDropped(): void {
    this.droppedLogLines.inc();
  }

  /** `route` is the row's path, or "" where there is none. */
  answered(method: string, route: string, status: number, ms: number): void {
    this.requestSeconds.observe({ method, route, status }, ms / 1_000);
  }

  /** All of it as text. A database that cannot be asked leaves its figures out: the others are wanted just then. */
  async page(count: () => Promise<Census>, streamReaders: number): Promise<string> {
    this.readers.set(streamReaders);
    for (const gauge of [this.tasks, this.attention, this.waiting, this.oldest, this.lag, this.connections])
      gauge.reset();
    const census = await this.counted(count).catch(() => null);
    if (census) this.tell(census);
    return this.register.metrics();
  }

  private tell({ unfinished, waiting, sweep_lag_seconds, connections }: Census): void {
    for (const { lifecycle, status, tasks, attention } of unfinished) {
      this.tasks.set({ lifecycle, status }, tasks);
      this.attention.set({ lifecycle, status }, attention);
    }
    for (const { lifecycle, tasks, oldest_seconds } of waiting) {
      this.waiting.set({ lifecycle }, tasks);
      this.oldest.set({ lifecycle }, oldest_seconds);
    }
    this.lag.set(sweep_lag_seconds);
    for (const { state, connections: open } of connections) this.connections.set({ state }, open);
  }

  private counted(count: () => Promise<Census>): Promise<Census> {
    if (this.census && Date.now() - this.census.at < COUNT_EVERY_MS) return this.census.counted;
    const census = { at: Date.now(), counted: count() };
    this.census = census;
    census.counted.catch(() => (this.census = null));
    return census.counted;
  }

  private gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: this.registers });
  }

  private histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) {
    return new Histogram({ name, help, labelNames, buckets, registers: this.registers });
  }
}

type NotDone = Refusal | Failed | Again;

/** For each verb of the engine: lifecycle, action and outcome of what came of a command, each in its line. */
const OUTCOMES: Record<Settled["verb"], (command: unknown, outcome: unknown) => string[]> = {
  perform: (command, outcome) => {
    const { request } = command as PerformCommand;
    const told = outcome as Performed | NotDone;
    const action = "action" in request ? request.action : "";
    if (!("outcome" in told)) return notDone("", action, told);
    const moved = told.event?.action ?? action;
    return [labelsOf(told.task.lifecycle, moved, told.replayed ? "replayed" : told.outcome)];
  },
  create: (command, outcome) => {
    const { tasks } = (command as CreateCommand).creation;
    const told = outcome as CreatedTasks | NotDone;
    if (!("existing" in told))
      return tasks.flatMap(({ lifecycle }) => notDone(lifecycle.name, "create", told));
    return told.tasks.map(({ lifecycle }, place) =>
      labelsOf(lifecycle, "create", told.replayed || told.existing[place] ? "replayed" : "moved"),
    );
  },
  claim: (command, outcome) => {
    const told = outcome as Claimed | NotDone;
    if (!("tasks" in told)) return notDone((command as ClaimCommand).lifecycle.name, "claim", told);
    return told.tasks.map(({ task }) =>
      labelsOf(task.lifecycle, "claim", told.replayed ? "replayed" : "moved"),
    );
  },
};

/** What is tried again is counted then. */
function notDone(lifecycle: string, action: string, told: NotDone): string[] {
  if (told instanceof Again) return [];
  return [labelsOf(lifecycle, action, told instanceof Failed ? "failed" : "refused")];
}

function labelsOf(lifecycle: string, action: string, outcome: string): string {
  return `${lifecycle}\n${action}\n${outcome}`;
}
