import { didYouMean, PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";
import type { Named, SomeLifecycle } from "../client/lifecycle.ts";
import type { Caller } from "../engine/index.ts";
import { startWorker } from "../worker/index.ts";
import type { RunningWorker, WorkerClient, WorkerOptions } from "../worker/index.ts";

/** Options of `pawl.work`: those of `startWorker`, and the member that does the work. */
export type WorkOptions<L extends SomeLifecycle = SomeLifecycle, Progress = unknown> = Omit<
  WorkerOptions<L, Progress>,
  "client" | "lifecycle" | "run"
> & {
  /** The member that claims the tasks: its id in the org `main`, or a caller from `pawl.as`. */
  as: string | Caller;
};

/** Starts a worker in the process of the engine, on a lifecycle given by a known name or by its definition. */
export type StartWork<Known extends SomeLifecycle> = {
  <const Name extends Known["name"], Progress = unknown>(
    lifecycle: Name,
    run: WorkerOptions<Named<Known, Name>, Progress>["run"],
    options: WorkOptions<Named<Known, Name>, Progress>,
  ): Promise<RunningWorker>;
  <L extends SomeLifecycle, Progress = unknown>(
    lifecycle: L,
    run: WorkerOptions<L, Progress>["run"],
    options: WorkOptions<L, Progress>,
  ): Promise<RunningWorker>;
};

type Host = {
  lifecycles: ReadonlyMap<string, Lifecycle>;
  /** Builds a client for the caller that the function returns. */
  clientOf: (callerOf: () => Promise<Caller>) => WorkerClient;
  findCaller: (member_id: string, org_id: string) => Promise<Caller>;
  /** Called with the error of a worker that can no longer claim. */
  onFault: ((error: unknown) => void) | undefined;
};

/** The workers in the process of one engine. */
export class Workers {
  private readonly host: Host;
  private readonly running = new Set<RunningWorker>();
  private stopping: { graceMs?: number } | null = null;

  constructor(host: Host) {
    this.host = host;
  }

  async start(
    given: string | SomeLifecycle,
    run: WorkerOptions["run"],
    workOptions: WorkOptions,
  ): Promise<RunningWorker> {
    // Callers without types can leave out any argument.
    const { as, ...options } = Object(workOptions) as WorkOptions;
    const lifecycle = typeof given === "string" ? { name: given } : (Object(given) as SomeLifecycle);
    this.checkPool(lifecycle.name);
    checkMember(as);
    const client = await this.clientFor(as);
    if (this.stopping) throw new PawlError("UNAVAILABLE", "Pawl is closed, and starts no more workers.");
    const worker = startWorker({ ...options, client, lifecycle, run });
    this.running.add(worker);
    const forget = () => this.running.delete(worker);
    worker.finished.then(forget, (error: unknown) => {
      forget();
      this.host.onFault?.(error);
    });
    return worker;
  }

  /** Stops all workers: running tasks get `graceMs`, default that of each worker, to finish; then they are aborted and given back. */
  async stop(options: { graceMs?: number } = {}): Promise<void> {
    this.stopping = options;
    await Promise.all([...this.running].map((worker) => worker.stop(options)));
  }

  /** Reads the member again before each claim, so that a change of its roles takes effect and an inactive member stops working. */
  private async clientFor(as: string | Caller): Promise<WorkerClient> {
    if (typeof as !== "string") return this.host.clientOf(() => Promise.resolve(as));
    let caller: Promise<Caller> | null = this.host.findCaller(as, "main");
    await caller;
    const client = this.host.clientOf(() => (caller ??= this.host.findCaller(as, "main")));
    return {
      ...client,
      claimTasks: (...args) => {
        caller = null;
        return client.claimTasks(...args);
      },
    };
  }

  private checkPool(given: string | undefined): void {
    const name = String(given);
    const { lifecycles } = this.host;
    const lifecycle = lifecycles.get(name);
    if (!lifecycle)
      throw new PawlError(
        "UNKNOWN_LIFECYCLE",
        `There is no lifecycle "${name}"${didYouMean(name, lifecycles.keys()) || "."}`,
        { name },
      );
    if (!lifecycle.pool)
      throw new PawlError(
        "INVALID_LIFECYCLE",
        `Lifecycle "${name}" has no pool to claim from: declare \`pool\`.`,
        { name },
      );
  }
}

function checkMember(as: unknown): void {
  const { org_id, actor } = Object(as) as Partial<Caller>;
  if ((typeof as === "string" && as !== "") || (typeof org_id === "string" && actor)) return;
  throw new PawlError(
    "INVALID_CONFIG",
    'pawl.work needs the member that claims the tasks: `as: "wanda"` among its options, or a caller from `await pawl.as("wanda")`.',
  );
}
