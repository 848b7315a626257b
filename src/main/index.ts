export { defineConfig } from "./config.ts";
export type { PawlConfig } from "./config.ts";
export {
  backoffMs,
  check,
  decide,
  defineLifecycle,
  describeLifecycle,
  explain,
  mermaid,
  PawlError,
  permissionsTable,
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
export type { By, EngineOptions, Within } from "../engine/engine.ts";
export type { TaskPage, TaskQuery } from "../engine/read/list-page.ts";
export type { Claimed, ClaimRequest } from "../engine/write/claim.ts";
export type { NewTask } from "../engine/write/admit-creations.ts";
export type { CreatedTasks } from "../engine/write/creations.ts";
export type { EffectHandler, FactLoader, EnginePlugin } from "../engine/engine-plugin.ts";
export type { Performed, PerformRequest } from "../engine/write/perform.ts";
export type { PublicTask } from "../engine/read/public-task.ts";
export type { JournalEntry } from "../engine/write/work.ts";
