import { CONSOLE_ROUTES } from "../../api/index.ts";
import type { ConsolePlugin } from "../../api/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Screens and texts that plugins add to the console. */
export function serveConsolePlugins(plugins: readonly ConsolePlugin[]): RouteSet {
  return serve(CONSOLE_ROUTES, { listConsolePlugins: () => answer(200, { plugins: [...plugins] }) });
}
