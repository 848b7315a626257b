import { didYouMean, isRefusal, PawlError } from "../core/index.ts";
import type { Named, SomeLifecycle } from "../client/lifecycle.ts";
import { claimCommand } from "../engine/index.ts";
import type { Caller, Engine } from "../engine/index.ts";
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
export type StartWork<Known extends SomeLifecycle> = <
  const Given extends Known["name"] | SomeLifecycle,
  Progress = unknown,
>(
  lifecycle: Given,
  // One signature, not an overload for names and one for definitions: the compiler would report mistakes as those of the last one.
  run: WorkerOptions<GivenLifecycle<Known, Given>, Progress>["run"],
  options: WorkOptions<GivenLifecycle<Known, Given>, Progress>,
) => Promise<RunningWorker>;

type GivenLifecycle<Known extends SomeLifecycle, Given> = Given extends string
  ? Named<Known, Given>
  : Extract<Given, SomeLifecycle>;

type Host = {
  registry: Engine["registry"];
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
    const caller = typeof as === "string" ? await this.host.findCaller(as, "main") : as;
    this.checkClaim(caller, lifecycle.name, options);
    const client = this.clientFor(as, caller);
    if (this.stopping) throw new PawlError("UNAVAILABLE", "Pawl is closed, and starts no more workers.");
    const worker = startWorker({ ...options, client, lifecycle, run });
    this.running.add(worker);
    const forget = () => this.running.delete(worker);
    worker.finished.then(forget, (error: unknown) => {
      forget();
      if (this.host.onFault) this.host.onFault(error);
      // An app that ignores `finished` would otherwise not notice that its tasks wait forever.
      else
        process.emitWarning(`The worker on "${lifecycle.name}" has ended: ${String(error)}`, "PawlWarning");
    });
    return worker;
  }

  /** Stops all workers: running tasks get `graceMs`, default that of each worker, to finish; then they are aborted and given back. */
  async stop(options: { graceMs?: number } = {}): Promise<void> {
    this.stopping = options;
    await Promise.all([...this.running].map((worker) => worker.stop(options)));
  }

  /** Reads the member again before each claim, so that a change of its roles takes effect and an inactive member stops working. */
  private clientFor(as: string | Caller, first: Caller): WorkerClient {
    if (typeof as !== "string") return this.host.clientOf(() => Promise.resolve(as));
    let caller: Promise<Caller> | null = Promise.resolve(first);
    const client = this.host.clientOf(() => (caller ??= this.host.findCaller(as, "main")));
    return {
      ...client,
      claimTasks: (...args) => {
        caller = null;
        return client.claimTasks(...args);
      },
    };
  }

  /** Throws the refusal that every claim would get, for example for a missing permission. */
  private checkClaim({ actor }: Caller, lifecycle: string, options: Partial<WorkOptions>): void {
    const { project_id, least_priority, fields } = options;
    const claim = {
      lifecycle,
      ...(project_id === undefined ? {} : { project_id }),
      ...(least_priority === undefined ? {} : { least_priority }),
      ...(fields === undefined ? {} : { fields }),
    };
    const refusal = claimCommand(this.host.registry, claim, actor);
    if (!isRefusal(refusal)) return;
    const { code, detail, params } = refusal;
    const reason =
      code === "COMMENT_REQUIRED" ? `${detail.replace(/\.$/, "")}, and workers send none.` : detail;
    throw new PawlError(code, `No worker can claim from "${lifecycle}": ${reason}`, { ...params });
  }

  private checkPool(given: string | undefined): void {
    const name = String(given);
    const { lifecycles } = this.host.registry;
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
