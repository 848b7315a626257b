export { run } from "./run.ts";
export { ownColours, toTerminal } from "./terminal-text.ts";
export type { AgentServices, Output, ServerFlags, ShownVersions } from "./cli-environment.ts";

// The building blocks of commands.
export { atServer } from "./at-server.ts";
export { openCanvas } from "./canvas.ts";
export {
  jsonOption,
  numberBetween,
  positiveInteger,
  withServerOptions,
  commaSeparated,
  formatHelp,
} from "./commands/command-options.ts";
export type { AddCommands, SetExitCode } from "./cli-environment.ts";
export { cut, oneLine, widthOf } from "./display-width.ts";
export { EXIT } from "./exit-code.ts";
export type { ExitCode } from "./exit-code.ts";
export { CliError } from "./cli-error.ts";
export { graphText } from "./graph-text.ts";
export { findTaskId, shortId } from "./find-task.ts";
export { count, isTty, print } from "./print.ts";
export type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";
export { progressBar } from "./progress-bar.ts";
export { readTextFile } from "./read-text-file.ts";
export { relativeTime, formatDuration } from "./format-time.ts";
export { jsonText } from "./terminal-text.ts";
export { stopSignal } from "./stop-signal.ts";
export { textTable } from "./text-table.ts";
