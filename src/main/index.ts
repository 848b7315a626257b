export { defineConfig } from "./config.ts";
export type { PawlConfig } from "./config.ts";
export { accepted } from "./accepted.ts";
export {
  backoffMs,
  check,
  decide,
  defineLifecycle,
  describeLifecycle,
  explain,
  isRefusal,
  mermaid,
  PawlError,
  permissionsTable,
  problemOf,
  PROBLEMS,
  refuse,
  rulesTable,
  statusesTable,
  SYSTEM,
} from "../core/index.ts";
export type {
  ActionSpec,
  Actor,
  AnyProblemCode,
  Change,
  CheckReport,
  Command,
  CreationView,
  Decision,
  DefinedLifecycle,
  Draft,
  Duration,
  Effect,
  Explanation,
  Finding,
  Guard,
  Instant,
  JsonObject,
  Lease,
  Lifecycle,
  LifecycleDefinition,
  LifecycleDescription,
  Patch,
  Pool,
  Problem,
  ProblemCode,
  Refusal,
  Rule,
  SideEffect,
  Situation,
  StatusSpec,
  Step,
  Task,
  Timer,
  View,
  Who,
} from "../core/index.ts";
export { definePlugin } from "../plugin/index.ts";
export type { Plugin, PluginDefinition } from "../plugin/index.ts";
export { LIFECYCLES } from "../lifecycles/index.ts";
export { openPawl } from "./open-pawl.ts";
export type { Pawl, PawlOptions } from "./open-pawl.ts";
export type { LocalClient } from "./local-client.ts";
export type {
  ClaimedTasksOf,
  CreatedTasksOf,
  KnownTask,
  NewTaskOf,
  PerformedOf,
  PerformRequestOf,
  TaskPageOf,
} from "./typed-verbs.ts";
export type { WorkOptions } from "./workers.ts";
export type { LifecyclesOf } from "../client/index.ts";
export type {
  Caller,
  CallerTransaction,
  Claimed,
  ClaimRequest,
  CreatedTasks,
  EffectHandler,
  EngineOptions,
  EnginePlugin,
  FactLoader,
  JournalEntry,
  NewTask,
  Performed,
  PerformRequest,
  PublicTask,
  TaskPage,
  TaskQuery,
  Within,
} from "../engine/index.ts";
