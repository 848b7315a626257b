import { canSee, explain, findTooDeep, isRefusal, PawlError, SYSTEM, TOO_DEEP } from "../core/index.ts";
import type { Explanation, Instant, JsonObject, Refusal } from "../core/index.ts";
import { readDatabaseMetrics } from "./read/database-metrics.ts";
import type { DatabaseMetrics } from "./read/database-metrics.ts";
import { admitCreations } from "./write/validate-creations.ts";
import type { NewTask } from "./write/validate-creations.ts";
import { Commits } from "./commits.ts";
import { PoolArrivals } from "./write/pool-arrivals.ts";
import { isUnstorable } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { readGraph } from "./read/graph.ts";
import type { Graph, GraphQuery } from "./read/graph.ts";
import type { EnginePlugin, SweepTools } from "./engine-plugin.ts";
import { LifecycleRegistry } from "./lifecycle-registry.ts";
import type { Caller } from "./caller.ts";
import { Inbox } from "./inbox/inbox.ts";
import { listPage } from "./read/list-page.ts";
import type { TaskPage, TaskQuery } from "./read/list-page.ts";
import { readLinks } from "./read/links.ts";
import type { Links } from "./read/links.ts";
import type { EngineObserver, Swept } from "./observer.ts";
import { Past } from "./read/past.ts";
import { readOverview } from "./read/overview.ts";
import type { Overview, OverviewQuery } from "./read/overview.ts";
import { unknownNameRefusal } from "./read/unknown-name.ts";
import type { NamesInFilter } from "./read/unknown-name.ts";
import { pruneOrg } from "./upkeep/prune.ts";
import type { Pruned, PruneOptions } from "./upkeep/prune.ts";
import { publicTask } from "./read/public-task.ts";
import type { PublicTask } from "./read/public-task.ts";
import { reconcileOrg } from "./upkeep/reconcile.ts";
import type { Reconciled } from "./upkeep/reconcile.ts";
import { notFound, refusalOfData, wrongField } from "./refusals.ts";
import { isUuid } from "../std/uuid.ts";
import { findTasks, readBeats } from "./sql/find-tasks.ts";
import { orgsWithDueTasks } from "./sql/pick-due.ts";
import { readFeedPage } from "./sql/read-feed-page.ts";
import type { FeedPage, FeedWalk } from "./sql/read-feed-page.ts";
import { entryOfRow, readFeed, readJournal, readPosition } from "./sql/read-journal.ts";
import type { EventRow } from "./sql/read-journal.ts";
import { beatLeases } from "./sql/save-leases.ts";
import { sweepOrg } from "./upkeep/sweep.ts";
import type { SweepOptions } from "./upkeep/sweep.ts";
import { taskOf } from "./task-row.ts";
import { transact } from "./transact.ts";
import type { Timeouts } from "./transact.ts";
import type { Tx } from "./transaction.ts";
import { verifyOrg } from "./upkeep/verify.ts";
import type { Verified } from "./upkeep/verify.ts";
import { claimCommand } from "./write/claim.ts";
import type { Claimed, ClaimRequest } from "./write/claim.ts";
import { createCommand } from "./write/create.ts";
import type { CreatedTasks } from "./write/creations.ts";
import { readSnapshot } from "./write/read-snapshot.ts";
import { performCommand } from "./write/perform.ts";
import { callKeyRefusal, commandsOfCall } from "./write/perform-many.ts";
import type { Performed, PerformRequest } from "./write/perform.ts";
import { workOn } from "./write/work.ts";
import type { JournalEntry } from "./write/work.ts";
import { Writer } from "./write/writer.ts";
import type { Within } from "./write/writer.ts";

export type { Within } from "./write/writer.ts";

export type { Caller } from "./caller.ts";

export type EngineOptions = Partial<Timeouts> & {
  observer?: EngineObserver | undefined;
  /** Default settings by lifecycle name; a project's own settings override them. */
  defaults?: Readonly<Record<string, JsonObject>> | undefined;
};

const MAX_PAGE_SIZE = 200;
const MAX_SWEEP_ROUNDS = 1_000;

const NO_REQUEST_FIELDS = { comment: null, expected_row_version: null, lease_token: null };

/** The API to everything durable: creates, moves, claims, reads and verifies tasks. */
export class Engine {
  readonly registry: LifecycleRegistry;
  /** Notifies listeners after commits. */
  readonly commits = new Commits();
  /** The requests of `pawl.enqueue`. */
  readonly inbox: Inbox;
  /** Figures over a time. */
  readonly past: Past;
  private readonly sql: Sql;
  private readonly timeouts: Timeouts;
  private readonly observer: EngineObserver | undefined;
  private readonly writer: Writer;

  constructor(sql: Sql, plugins: readonly EnginePlugin[], options: EngineOptions = {}) {
    const { observer, defaults, ...timeouts } = options;
    this.sql = sql;
    this.observer = observer;
    this.registry = new LifecycleRegistry(plugins, defaults);
    this.timeouts = { retryTimeoutMs: 10_000, statementTimeoutMs: 30_000, ...timeouts };
    this.writer = new Writer(sql, this.timeouts, this.registry, this.commits, observer);
    const { registry, writer } = this;
    this.past = new Past((work) => this.transaction(work));
    this.inbox = new Inbox({ registry, writer, observer, transaction: (work) => this.transaction(work) });
  }

  /** Creates tasks, all of them or none; they may name each other as blockers by `ref`. */
  async create(
    { org_id, actor }: Caller,
    tasks: readonly NewTask[],
    { client_event_id, ...within }: { client_event_id?: string | null } & Within = {},
  ): Promise<CreatedTasks | Refusal> {
    if (tasks.length === 0) return wrongField("tasks", "must have at least one task");
    const admitted = admitCreations(this.registry.lifecycles, { tasks, actor, client_event_id });
    if (isRefusal(admitted)) return admitted;
    const [answer] = await this.writer.run(org_id, [createCommand(admitted)], within);
    return answer as CreatedTasks | Refusal;
  }

  /** Performs one command. */
  async perform(caller: Caller, request: PerformRequest, within: Within = {}): Promise<Performed | Refusal> {
    const { org_id, actor, confined_to } = caller;
    if (findTooDeep(request.payload)) return wrongField("payload", TOO_DEEP);
    const command = performCommand(request, actor, confined_to != null);
    const [answer] = await this.writer.run(org_id, [command], within);
    return answer as Performed | Refusal;
  }

  /**
   * Performs many commands, answered one by one in order; a refusal of one does not undo the others. A call with a key can be
   * repeated: commands that were accepted get their first answers.
   */
  async performMany(
    { org_id, actor, confined_to }: Caller,
    requests: readonly PerformRequest[],
    { client_event_id = null, ...within }: { client_event_id?: string | null } & Within = {},
  ): Promise<(Performed | Refusal)[]> {
    const wrongKey = client_event_id === null ? null : callKeyRefusal(client_event_id);
    if (wrongKey) return requests.map(() => wrongKey);
    const admitted = requests.filter(({ payload }) => findTooDeep(payload) === null);
    const commands = commandsOfCall(admitted, actor, confined_to != null, client_event_id);
    const answers = await this.writer.runCall(org_id, commands, within);
    if (admitted.length === requests.length) return answers;
    const inOrder = answers.values();
    return requests.map(({ payload }) =>
      findTooDeep(payload) ? wrongField("payload", TOO_DEEP) : (inOrder.next().value as Performed | Refusal),
    );
  }

  /** Claims the best free tasks of a lifecycle's pool. */
  async claim(
    { org_id, actor }: Caller,
    request: ClaimRequest,
    within: Within = {},
  ): Promise<Claimed | Refusal> {
    const command = claimCommand(this.registry, request, actor);
    if (isRefusal(command)) return command;
    const [answer] = await this.writer.run(org_id, [command], within);
    return answer as Claimed | Refusal;
  }

  /** Renews leases, many in one statement; `lost` lists those that the caller no longer holds. */
  async heartbeat(
    { org_id, actor }: Caller,
    leases: readonly { task_id: string; lease_token: string }[],
  ): Promise<{ extended: { task_id: string; lease_until: Instant }[]; lost: string[] }> {
    const wellFormed = leases.filter((lease) => isUuid(lease.task_id) && isUuid(lease.lease_token));
    const rows = await this.transaction((tx) => beatLeases(tx, org_id, actor.id ?? "system", wellFormed));
    const extended = new Set(rows.map((row) => row.task_id));
    return {
      extended: rows.map(({ task_id, until }) => ({ task_id, lease_until: until })),
      lost: leases.map((lease) => lease.task_id).filter((id) => !extended.has(id.toLowerCase())),
    };
  }

  /** Finds a task that the caller may see. */
  async find({ org_id, actor }: Caller, id: string): Promise<PublicTask | Refusal> {
    if (!isUuid(id)) return notFound(id);
    return this.transaction(async (tx) => {
      const [[row], beats] = await Promise.all([findTasks(tx, org_id, [id]), readBeats(tx, org_id, [id])]);
      if (!row || !canSee(actor, row)) return notFound(id);
      return publicTask(taskOf(row, beats.get(row.id)));
    });
  }

  /** Lists a page of the tasks that the caller may see, oldest first; pass the returned `cursor` to get the next page. */
  async list({ org_id, actor }: Caller, query: TaskQuery = {}): Promise<TaskPage> {
    const limit = pageSize(query.limit ?? 50);
    return this.transaction((tx) => listPage(this.registry, tx, { org_id, actor }, { ...query, limit }));
  }

  /** Refuses a filter by a lifecycle or status that does not exist; null if both exist. */
  unknownName(filter: NamesInFilter): Promise<Refusal | null> {
    return unknownNameRefusal(this.registry, (work) => this.transaction(work), filter);
  }

  /** Lists the journal of a task, oldest first. */
  async events(
    caller: Caller,
    id: string,
    { after = 0, limit = MAX_PAGE_SIZE } = {},
  ): Promise<JournalEntry[] | Refusal> {
    const task = await this.find(caller, id);
    if (isRefusal(task)) return task;
    const rows = await this.transaction((tx) =>
      readJournal(tx, caller.org_id, { task_id: id, after, limit: pageSize(limit) }),
    );
    return rows.map(entryOfRow);
  }

  /** Lists every action of a task: allowed for the caller now, or the reasons why not. */
  async explain({ org_id, actor, confined_to }: Caller, id: string): Promise<Explanation[] | Refusal> {
    if (!isUuid(id)) return notFound(id);
    return this.transaction(async (tx) => {
      const { now, tasks } = await readSnapshot(this.registry, tx, org_id, [id]);
      const loaded = tasks.get(id.toLowerCase());
      if (!loaded || !canSee(actor, loaded.task)) return notFound(id);
      const works = Object.keys(loaded.lifecycle.actions).map((action) =>
        workOn(loaded, actor, { action, input: {}, ...NO_REQUEST_FIELDS }, null),
      );
      await this.registry.loadFacts(tx, org_id, works);
      const facts = Object.assign({}, ...works.map((work) => work.facts)) as JsonObject;
      const { task, settings } = loaded;
      const situation = { task, actor, facts, settings, now };
      return explain(loaded.lifecycle, situation, { confined: confined_to != null });
    });
  }

  /** Lists the org's events after a position, in commit order and without gaps, except for those that the caller may not see. */
  async feed(
    { org_id, actor }: Caller,
    {
      after = 0,
      lifecycle,
      limit = MAX_PAGE_SIZE,
    }: { after?: number; lifecycle?: string; limit?: number } = {},
  ): Promise<EventRow[]> {
    const rows = pageSize(limit);
    if (!Number.isSafeInteger(after))
      throw new PawlError("VALIDATION_ERROR", `after: must be a feed position, an integer; got ${after}.`);
    const projects = actor.project_ids;
    return this.transaction((tx) =>
      readFeed(tx, org_id, { after, projects, lifecycle: lifecycle ?? null, reader: actor.id, limit: rows }),
    );
  }

  /** Returns the position of the org's last event. */
  feedPosition(org_id: string): Promise<number> {
    return this.transaction((tx) => readPosition(tx, org_id));
  }

  /** Reads a page of an org's events regardless of permissions: the caller must filter them. */
  feedPage(org_id: string, walk: FeedWalk): Promise<FeedPage> {
    return this.transaction((tx) => readFeedPage(tx, org_id, walk));
  }

  /** Runs the actions of expired timers, in all orgs or in one. `now` replaces the clock in tests. */
  async sweep(options: Partial<SweepOptions> & { org_id?: string } = {}): Promise<Swept> {
    const { now = null, limit = 200, lifecycles, org_id: only } = options;
    const sweepOptions = { now, limit, lifecycles: lifecycles ?? [...this.registry.lifecycles.keys()] };
    const total: Swept = { checked: 0, moved: 0, postponed: [] };
    const begun = performance.now();
    const orgs = only === undefined ? await this.transaction((tx) => orgsWithDueTasks(tx, now)) : [only];
    for (const org_id of orgs) {
      // Repeat until nothing is due, because one timer may start the next; the limit stops an endless loop of such timers.
      for (let round = 0; round < MAX_SWEEP_ROUNDS; round++) {
        const swept = await sweepOrg(this.writer, org_id, sweepOptions);
        total.checked += swept.checked;
        total.moved += swept.moved;
        total.postponed.push(...swept.postponed);
        if (swept.checked === 0) break;
      }
    }
    // Plugins sweep all orgs, by the real clock.
    if (now === null && only === undefined) await this.sweepPlugins(sweepOptions.lifecycles);
    this.observer?.swept?.({ ...total, ms: performance.now() - begun });
    return total;
  }

  /** Returns figures on the tasks that the caller may see. */
  overview(caller: Caller, query: OverviewQuery): Promise<Overview> {
    return this.transaction((tx) => readOverview(this.registry, tx, caller, query));
  }

  /** Lists the blockers, dependents and holds of a task, as far as the caller may see them. */
  async links(caller: Caller, id: string): Promise<Links | Refusal> {
    const task = await this.find(caller, id);
    return isRefusal(task) ? task : this.transaction((tx) => readLinks(tx, caller, task.id));
  }

  /** Returns the dependency graph of the tasks that the caller may see. */
  graph(caller: Caller, query: GraphQuery): Promise<Graph> {
    return this.transaction((tx) => readGraph(tx, caller, query));
  }

  /** Reads the metrics of all orgs; the cost grows with the number of unfinished tasks. */
  databaseMetrics(): Promise<DatabaseMetrics> {
    return this.transaction(readDatabaseMetrics);
  }

  /** Repairs counters and missed moves of an org's unfinished tasks; reports these and broken invariants. */
  reconcile(org_id: string, { chunk = 200 }: { chunk?: number } = {}): Promise<Reconciled> {
    return reconcileOrg(this.registry, this.writer, org_id, chunk);
  }

  /** Deletes old finished tasks with everything that belongs to them; runs only if configured or called. */
  prune(options: PruneOptions): Promise<Pruned> {
    return pruneOrg(this.registry, (work) => this.transaction(work), options);
  }

  /** Rebuilds every task of an org from its journal and reports differences. */
  verify(
    org_id: string,
    onProgress?: (progress: { tasks: number; events: number }) => void,
  ): Promise<Verified> {
    return verifyOrg((work) => this.transaction(work), org_id, onProgress);
  }

  /** Runs a transaction of a plugin's own, with the engine's timeouts and retries. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transact(this.sql, this.timeouts, work);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      throw new PawlError("VALIDATION_ERROR", refusalOfData(error).detail, {}, { cause: error });
    }
  }

  /** Runs a transaction in which a plugin writes its own tables, and notifies the listeners for commits after it. */
  async write<T>(
    org_id: string,
    work: (within: { tx: Tx; arrivals: PoolArrivals }) => Promise<T>,
  ): Promise<T> {
    const arrivals = new PoolArrivals();
    const done = await this.transaction((tx) => work({ tx, arrivals }));
    this.commits.notify(org_id, "here", arrivals.list());
    return done;
  }

  /** Waits until all commands are answered. */
  drain(): Promise<void> {
    return this.writer.drain();
  }

  /** Runs the plugins' own sweeps. A failing one does not stop the others; the first failure is thrown. */
  private async sweepPlugins(lifecycles: readonly string[]): Promise<void> {
    const tools: SweepTools = {
      transaction: (work) => this.transaction(work),
      perform: (org_id, request) => this.perform({ org_id, actor: SYSTEM }, request),
    };
    const swept = await Promise.allSettled(
      this.registry.sweepsOf(lifecycles).map(async (sweep) => sweep(tools)),
    );
    const failed = swept.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  }
}

/** Validates the limit of a page and caps it. */
function pageSize(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new PawlError("VALIDATION_ERROR", `limit: must be a positive integer; got ${limit}.`);
  return Math.min(limit, MAX_PAGE_SIZE);
}
