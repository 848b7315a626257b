export { definePlugin, pluginOf } from "./define-plugin.ts";
export type { Plugin, PluginDefinition } from "./define-plugin.ts";
export type { PluginUi, UiTexts } from "./plugin-ui.ts";
export { settingValues } from "./setting.ts";
export type { PluginSetting, PluginSettings, Setting, SettingValues } from "./setting.ts";

// The engine, and reading and writing tables of your own.
export {
  answerOnce,
  asRows,
  findByDedupeKey,
  findPosition,
  findTasks,
  isOpen,
  listTasks,
  lockBlockers,
  notFound,
  planAnew,
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
  By,
  CreationFactLoader,
  Directory,
  EffectHandler,
  EffectItem,
  Engine,
  EventRow,
  FactLoader,
  JournalEntry,
  MakeTasks,
  NewTask,
  OldRows,
  Once,
  Performed,
  PerformRequest,
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
  besideTask,
  claimPatiently,
  defined,
  EventStream,
  serve,
  serveTaskRoutes,
  stream,
} from "../server/index.ts";
export type {
  BodyCheck,
  Call,
  FeedKind,
  Recognise,
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
  Fault,
  findTaskId,
  isWatched,
  jsonOption,
  jsonText,
  numberFrom,
  oneLine,
  openCanvas,
  positiveNumber,
  print,
  reaching,
  seenFrom,
  several,
  shortId,
  stretch,
  textTable,
  titled,
  widthOf,
} from "../cli/index.ts";
export type { AddCommands, ExitCode, Leave, ReachFlags, Screen, Surroundings } from "../cli/index.ts";

// The demo.
export type { DemoScript, Stage } from "../demo/index.ts";
