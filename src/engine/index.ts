export { expectTransaction, ofPostgresJs } from "./caller-transaction.ts";
export type { CallerTransaction, PostgresTransaction } from "./caller-transaction.ts";
export { startCommitHints } from "./commit-hints.ts";
export type { CommitHintOptions } from "./commit-hints.ts";
export { Commits } from "./commits.ts";
export type { TokenStore } from "./directory/admin.ts";
export type { Authenticated } from "./directory/authenticator.ts";
export { DemoOrg } from "./directory/demo-org.ts";
export type { DemoState } from "./directory/demo-org.ts";
export { Directory } from "./directory/directory.ts";
export { adminRefusal } from "./directory/directory-refusals.ts";
export type { Member, Project } from "./directory/directory.ts";
export { createOrg, findActor, listOrgs } from "./directory/members.ts";
export { DAY_MS, loginLinkPath } from "./directory/sessions.ts";
export type { SessionTimes } from "./directory/sessions.ts";
export { Engine } from "./engine.ts";
export type { Caller, EngineOptions, Within } from "./engine.ts";
export type {
  CreationFactLoader,
  EffectHandler,
  EffectItem,
  EnginePlugin,
  FactLoader,
  CreateTasks,
  GaugeSample,
  OldRows,
  PluginGauge,
  PluginPrune,
  PluginSweep,
  SweepTools,
} from "./engine-plugin.ts";
export { STANDARD_FACT_NAMES } from "./standard-facts.ts";
export type { Binding, InboxEntry } from "./inbox/inbox.ts";
export { startInboxPoll } from "./inbox/poll-inbox.ts";
export type { EngineObserver, BatchStats, Swept } from "./observer.ts";
export type { DatabaseMetrics } from "./read/database-metrics.ts";
export type { Durations, Insights } from "./read/insights.ts";
export type { Links } from "./read/links.ts";
export type { Overview } from "./read/overview.ts";
export { publicTask } from "./read/public-task.ts";
export type { PublicTask } from "./read/public-task.ts";
export { visibleProjects } from "./read/visible-projects.ts";
export { notFound, wrongField } from "./refusals.ts";
export { rowsByTask } from "./rows-by-task.ts";
export { lockBlockers, saveDependencies } from "./sql/dependencies.ts";
export { namedBlockers } from "./write/named-blockers.ts";
export { findPosition } from "./sql/find-position.ts";
export { findByDedupeKey, findTasks } from "./sql/find-tasks.ts";
export { listTasks } from "./sql/list-tasks.ts";
export type { Bind } from "./sql/list-tasks.ts";
export { useCustomPlans } from "./sql/custom-plans.ts";
export { READERS_CHANGED } from "./sql/read-feed-page.ts";
export type { FeedEvent, FeedWalk } from "./sql/read-feed-page.ts";
export { readJournal } from "./sql/read-journal.ts";
export type { EventRow } from "./sql/read-journal.ts";
export { readProjects, readSettings } from "./sql/read-projects.ts";
export { readClock } from "./sql/read-task-context.ts";
export { isOpen, taskOf } from "./task-row.ts";
export type { TaskRow } from "./task-row.ts";
export { asRows, query } from "./transaction.ts";
export type { Tx } from "./transaction.ts";
export { countTasksByOrg, examineDatabase } from "./upkeep/inspect-database.ts";
export type { Condition } from "./upkeep/inspect-database.ts";
export { findDrift } from "./upkeep/find-drift.ts";
export type { Drift } from "./upkeep/find-drift.ts";
export { grantScript } from "./upkeep/grant-script.ts";
export { migrate, requireMigrated } from "./upkeep/migrate.ts";
export { migrationScript } from "./upkeep/migration-script.ts";
export { ENGINE_MIGRATIONS } from "./upkeep/migrations.ts";
export type { MigrationSource } from "./upkeep/migrations.ts";
export type { PruneOptions } from "./upkeep/prune.ts";
export type { Reconciled } from "./upkeep/reconcile.ts";
export { registerLifecycles } from "./upkeep/register-lifecycles.ts";
export { explainRefusal } from "./upkeep/rights.ts";
export { startSweeper } from "./upkeep/sweeper.ts";
export type { Sweeper } from "./upkeep/sweeper.ts";
export { newTaskOf } from "./write/sent-creation.ts";
export type { SentCreation } from "./write/sent-creation.ts";
export type { NewTask } from "./write/validate-creations.ts";
export { withIdempotencyKey } from "./write/with-idempotency-key.ts";
export type { IdempotentResult } from "./write/with-idempotency-key.ts";
export { claimCommand, projectsWithin } from "./write/claim.ts";
export type { ClaimCommand, Claimed, ClaimRequest } from "./write/claim.ts";
export { Retry, CommandFailed } from "./write/command-queue.ts";
export type { CreateCommand } from "./write/create.ts";
export type { CreatedTasks } from "./write/creations.ts";
export type { PoolArrival } from "./write/pool-arrivals.ts";
export type { PerformCommand, Performed, PerformRequest } from "./write/perform.ts";
export type { JournalEntry } from "./write/work.ts";
export type { TaskPage, TaskQuery } from "./read/list-page.ts";
