export { definePlugin, pluginOf } from "./define-plugin.ts";
export type { Plugin, PluginDefinition } from "./define-plugin.ts";
export type { PluginUi, UiTexts } from "./plugin-ui.ts";
export { settingValues } from "./setting.ts";
export type { PluginSetting, PluginSettings, Setting, SettingValues } from "./setting.ts";

// The engine, and statements on its tables and on those of the plugin.
export {
  withIdempotencyKey,
  asRows,
  findByDedupeKey,
  findPosition,
  findTasks,
  isOpen,
  READERS_CHANGED,
  listTasks,
  lockBlockers,
  namedBlockers,
  notFound,
  useCustomPlans,
  projectsWithin,
  publicTask,
  query,
  readClock,
  readJournal,
  readProjects,
  readSettings,
  rowsByTask,
  saveDependencies,
  taskOf,
  visibleProjects,
  wrongField,
} from "../engine/index.ts";
export type {
  Bind,
  Caller,
  CreationFactLoader,
  Directory,
  EffectHandler,
  EffectItem,
  Engine,
  EventRow,
  FactLoader,
  JournalEntry,
  CreateTasks,
  NewTask,
  OldRows,
  IdempotentResult,
  Performed,
  PerformRequest,
  PluginGauge,
  Project,
  PublicTask,
  SweepTools,
  TaskRow,
  Tx,
} from "../engine/index.ts";

// Routes.
export { taskRoutes } from "../api/index.ts";
export {
  answer,
  confineCreations,
  longPollClaim,
  defined,
  EventStream,
  serve,
  serveTaskRoutes,
  stream,
  projectRefusal,
} from "../server/index.ts";
export type {
  BodyCheck,
  Call,
  FeedKind,
  Identify,
  RouteHost,
  RouteSet,
  TailPage,
  Verb,
} from "../server/index.ts";

// Commands.
export {
  atServer,
  count,
  cut,
  EXIT,
  CliError,
  findTaskId,
  graphText,
  isTty,
  jsonOption,
  jsonText,
  numberBetween,
  oneLine,
  openCanvas,
  positiveInteger,
  print,
  progressBar,
  readTextFile,
  withServerOptions,
  relativeTime,
  commaSeparated,
  shortId,
  formatDuration,
  stopSignal,
  textTable,
  formatHelp,
  widthOf,
} from "../cli/index.ts";
export type {
  AddCommands,
  ExitCode,
  SetExitCode,
  ConnectFlags,
  Screen,
  CliEnvironment,
} from "../cli/index.ts";

// The demo.
export type { DemoLanguage } from "../api/index.ts";
export type { DemoMember, DemoScript, Stage } from "../demo/index.ts";
