import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Lifecycle, Refusal } from "../../core/index.ts";
import { Retry, CommandFailed } from "../../engine/index.ts";
import type {
  DatabaseMetrics,
  ClaimCommand,
  Claimed,
  CreateCommand,
  CreatedTasks,
  EngineObserver,
  PluginGauge,
  GaugeSample,
  PerformCommand,
  Performed,
  BatchStats,
  Swept,
} from "../../engine/index.ts";

/** Tasks are counted at most this often, because the cost grows with the number of unfinished tasks. */
const COUNT_INTERVAL_MS = 10_000;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** Metrics of a node for Prometheus. Those with `tasks` in their names come from the database and are the same on every node. */
export class Metrics implements EngineObserver {
  /** Only known actions become labels: names that callers invent would create labels without limit. */
  private actions: ReadonlySet<string> = new Set();
  private poolActions: ReadonlyMap<string, string> = new Map();
  private readonly register = new Registry();
  private readonly registers = [this.register];
  private cached: { at: number; metrics: Promise<DatabaseMetrics> } | null = null;

  private readonly tasks = this.gauge("pawl_tasks", "Unfinished tasks", ["lifecycle", "status"]);
  private readonly attention = this.gauge(
    "pawl_tasks_needing_attention",
    "Unfinished tasks that need attention: stuck, out of attempts, or waiting for a failed task",
    ["lifecycle", "status"],
  );
  private readonly waiting = this.gauge("pawl_tasks_waiting", "Tasks that can be claimed now", ["lifecycle"]);
  private readonly oldest = this.gauge(
    "pawl_tasks_oldest_waiting_seconds",
    "How long the oldest claimable task has waited",
    ["lifecycle"],
  );
  private readonly lag = this.gauge(
    "pawl_tasks_sweep_lag_seconds",
    "How long the oldest expired timer has waited for a sweep",
  );
  private readonly inboxWaiting = this.gauge(
    "pawl_inbox_waiting",
    "Requests from SQL whose tasks are not created yet",
  );
  private readonly inboxOldest = this.gauge(
    "pawl_inbox_oldest_waiting_seconds",
    "How long the oldest request from SQL has waited",
  );
  private readonly inboxRefused = this.gauge("pawl_inbox_refused", "Refused requests from SQL");
  private readonly connections = this.gauge(
    "pawl_database_connections",
    "Database connections of all nodes",
    ["state"],
  );
  private readonly readers = this.gauge("pawl_stream_readers", "Open event streams of this node");
  private readonly transitions = new Counter({
    name: "pawl_transitions_total",
    help: "Commands to this node by outcome",
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
    "Duration of a transaction",
    ["verb"],
    SECONDS,
  );
  private readonly sweepSeconds = this.histogram(
    "pawl_sweep_seconds",
    "Duration of a sweep on this node",
    [],
    SECONDS,
  );
  private readonly sweeps = new Counter({
    name: "pawl_sweep_timers_total",
    help: "Timers handled by sweeps of this node: moved or postponed",
    labelNames: ["outcome"],
    registers: this.registers,
  });
  private readonly requestSeconds = this.histogram(
    "pawl_http_request_seconds",
    "Duration of HTTP requests",
    ["method", "route", "status"],
    SECONDS,
  );

  private readonly droppedLogLines = new Counter({
    name: "pawl_log_lines_dropped_total",
    help: "Log lines that could not be written",
    registers: this.registers,
  });

  private readonly databaseGauges = [
    this.tasks,
    this.attention,
    this.waiting,
    this.oldest,
    this.lag,
    this.inboxWaiting,
    this.inboxOldest,
    this.inboxRefused,
    this.connections,
  ];

  constructor() {
    collectDefaultMetrics({ register: this.register });
  }

  /** Sets the lifecycles whose actions may be values of the label `action`. */
  setLifecycles(lifecycles: readonly Lifecycle[]): void {
    this.actions = new Set(["create", ...lifecycles.flatMap(({ actions }) => Object.keys(actions))]);
    this.poolActions = new Map(lifecycles.flatMap(({ name, pool }) => (pool ? [[name, pool.action]] : [])));
  }

  /** Adds the gauges of plugins; each is read at every request of the metrics, and left out if reading fails. */
  addPlugins(
    plugins: readonly { lifecycle: Lifecycle; gauges?: Readonly<Record<string, PluginGauge>> }[],
    transaction: (read: PluginGauge["read"]) => Promise<readonly GaugeSample[]>,
  ): void {
    for (const { lifecycle, gauges = {} } of plugins)
      for (const [name, { help, labels, read }] of Object.entries(gauges)) {
        const gauge: Gauge = new Gauge({
          name: `pawl_${lifecycle.name.replaceAll("-", "_")}_${name}`,
          help,
          labelNames: [...labels],
          registers: this.registers,
          collect: async () => {
            gauge.reset();
            for (const sample of await transaction(read).catch(() => []))
              gauge.set(sample.labels, sample.value);
          },
        });
      }
  }

  settled({ verb, answered, ms }: BatchStats): void {
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

  swept({ moved, postponed, ms }: Swept & { ms: number }): void {
    this.sweepSeconds.observe(ms / 1_000);
    this.sweeps.inc({ outcome: "moved" }, moved);
    this.sweeps.inc({ outcome: "put_off" }, postponed.length);
  }

  logLineDropped(): void {
    this.droppedLogLines.inc();
  }

  /** `route` is the row's path, or "" where there is none. */
  answered(method: string, route: string, status: number, ms: number): void {
    this.requestSeconds.observe({ method, route, status }, ms / 1_000);
  }

  /** Renders all metrics as text; without a reachable database, those from the database are left out. */
  async page(read: () => Promise<DatabaseMetrics>, streamReaders: number): Promise<string> {
    this.readers.set(streamReaders);
    for (const gauge of this.databaseGauges) gauge.reset();
    const metrics = await this.readCached(read).catch(() => null);
    if (metrics) this.setGauges(metrics);
    return this.register.metrics();
  }

  private setGauges({ unfinished, waiting, sweep_lag_seconds, inbox, connections }: DatabaseMetrics): void {
    for (const { lifecycle, status, tasks, attention } of unfinished) {
      this.tasks.set({ lifecycle, status }, tasks);
      this.attention.set({ lifecycle, status }, attention);
    }
    for (const { lifecycle, tasks, oldest_seconds } of waiting) {
      this.waiting.set({ lifecycle }, tasks);
      this.oldest.set({ lifecycle }, oldest_seconds);
    }
    this.lag.set(sweep_lag_seconds);
    this.inboxWaiting.set(inbox.waiting);
    this.inboxOldest.set(inbox.oldest_seconds);
    this.inboxRefused.set(inbox.refused);
    for (const { state, connections: open } of connections) this.connections.set({ state }, open);
  }

  private readCached(read: () => Promise<DatabaseMetrics>): Promise<DatabaseMetrics> {
    if (this.cached && Date.now() - this.cached.at < COUNT_INTERVAL_MS) return this.cached.metrics;
    const cached = { at: Date.now(), metrics: read() };
    this.cached = cached;
    cached.metrics.catch(() => (this.cached = null));
    return cached.metrics;
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

type NotDone = Refusal | CommandFailed | Retry;

/** For each verb of the engine: the labels of a command's outcome (lifecycle, action, outcome), one per line. */
const OUTCOMES: Record<BatchStats["verb"], (command: unknown, outcome: unknown) => string[]> = {
  perform: (command, outcome) => {
    const { request } = command as PerformCommand;
    const result = outcome as Performed | NotDone;
    const action = "action" in request ? request.action : "";
    if (!("outcome" in result)) return notDone("", action, result);
    const moved = result.event?.action ?? action;
    return [labelsOf(result.task.lifecycle, moved, result.replayed ? "replayed" : result.outcome)];
  },
  create: (command, outcome) => {
    const { tasks } = (command as CreateCommand).creation;
    const result = outcome as CreatedTasks | NotDone;
    if (!("existing" in result))
      return tasks.flatMap(({ lifecycle }) => notDone(lifecycle.name, "create", result));
    return result.tasks.map(({ lifecycle }, index) =>
      labelsOf(lifecycle, "create", result.replayed || result.existing[index] ? "replayed" : "moved"),
    );
  },
  claim: (command, outcome) => {
    const result = outcome as Claimed | NotDone;
    if (!("tasks" in result)) return notDone((command as ClaimCommand).lifecycle.name, "claim", result);
    return result.tasks.map(({ task }) =>
      labelsOf(task.lifecycle, "claim", result.replayed ? "replayed" : "moved"),
    );
  },
};

/** A command that will be retried is counted after its retry. */
function notDone(lifecycle: string, action: string, result: NotDone): string[] {
  if (result instanceof Retry) return [];
  return [labelsOf(lifecycle, action, result instanceof CommandFailed ? "failed" : "refused")];
}

function labelsOf(lifecycle: string, action: string, outcome: string): string {
  return `${lifecycle}\n${action}\n${outcome}`;
}
