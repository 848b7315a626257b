export { validateCommand } from "./validate-command.ts";
export type { ValidCommand, Request } from "./validate-command.ts";
export { apply } from "./apply.ts";
export { backoffMs } from "./backoff.ts";
export { check, checking } from "./check/check.ts";
export type { CheckReport, Finding, Step } from "./check/check.ts";
export { decide } from "./decide.ts";
export { admitCreation, decideCreation, draftOf } from "./decide-creation.ts";
export type { Created, NewTaskContext } from "./decide-creation.ts";
export { isRefusal, refuse } from "./decision.ts";
export type {
  Absorbed,
  Decision,
  LeaseChange,
  Moved,
  Refusal,
  SideEffect,
  TimerChange,
  Touched,
} from "./decision.ts";
export { defineLifecycle } from "./define-lifecycle.ts";
export type { AnyInputOf, DefinedLifecycle, LifecycleDefinition } from "./define-lifecycle.ts";
export { describeLifecycle } from "./describe.ts";
export type { LifecycleDescription, RuleDescription } from "./describe.ts";
export { lifecyclePage, mermaid, permissionsTable, rulesTable, statusesTable } from "./diagram.ts";
export { explain, explainAction, inputSchema } from "./explain.ts";
export type { Explanation } from "./explain.ts";
export type {
  ActionSpec,
  Change,
  Command,
  Condition,
  ConditionGuard,
  CreationView,
  Draft,
  Duration,
  Effect,
  Guard,
  Lifecycle,
  Pool,
  PoolDefinition,
  Rule,
  Situation,
  StatusSpec,
  Timer,
  Unblocks,
  View,
  Who,
} from "./lifecycle.ts";
export { hideCredentials } from "./hide-credentials.ts";
export { BUILT_IN_NAMES, lifecycleHint } from "./built-in-names.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { truncateText, shorten } from "./truncate-text.ts";
export {
  MAX_FREE_TEXT_LENGTH,
  MAX_JSON_DEPTH,
  MAX_LIST_LENGTH,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  TOO_DEEP,
} from "./limits.ts";
export { findTooDeep, findUnstorable, isStorable, shownErrors } from "./parse-fields.ts";
export { fieldErrors } from "./field-errors.ts";
export type { FieldError } from "./field-errors.ts";
export { confinementRefusal, creationPermission, permissionOf, permissionRefusal } from "./permissions.ts";
export { PawlError, problemOf, PROBLEMS } from "./problems.ts";
export type { AnyProblemCode, Problem, ProblemCode } from "./problems.ts";
export { fromOf } from "./index-rules.ts";
export { blockersDone, REMOVE_TASK } from "./standard.ts";
export type { StandardFacts } from "./standard.ts";
export { stuckStatuses } from "./stuck-statuses.ts";
export { canSee, SYSTEM } from "./task.ts";
export type { Actor, DueTimer, Instant, JsonObject, Lease, MemberKind, Patch, Task } from "./task.ts";
export { durationMs, nextTimer, overlongSettings, timerAfterBlockers } from "./timers.ts";
