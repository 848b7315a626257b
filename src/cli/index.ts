export { run } from "./run.ts";
export { ownColours, toTerminal } from "./terminal-text.ts";
export type { AgentStation, Output, ServerFlags } from "./surroundings.ts";

// The building blocks of commands.
export { atServer } from "./at-server.ts";
export { openCanvas } from "./canvas.ts";
export {
  jsonOption,
  numberFrom,
  positiveNumber,
  reaching,
  several,
  titled,
} from "./commands/command-options.ts";
export type { AddCommands, Leave } from "./surroundings.ts";
export { cut, oneLine, widthOf } from "./display-width.ts";
export { EXIT } from "./exit-code.ts";
export type { ExitCode } from "./exit-code.ts";
export { Fault } from "./fault.ts";
export { findTaskId, shortId } from "./find-task.ts";
export { count, isWatched, print } from "./print.ts";
export type { ReachFlags, Screen, Surroundings } from "./surroundings.ts";
export { seenFrom, stretch } from "./tell-time.ts";
export { jsonText } from "./terminal-text.ts";
export { textTable } from "./text-table.ts";
