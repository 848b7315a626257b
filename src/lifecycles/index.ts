import type { Lifecycle } from "../core/index.ts";
import board from "./board/plugin.ts";
import botActions from "./bot-actions/plugin.ts";
import code from "./code/plugin.ts";
import delivery from "./delivery/plugin.ts";
import planner from "./planner/plugin.ts";

/** The plugins that ship with Pawl. To add one, add its folder and a line here. */
export const PLUGINS = [board, planner, delivery, code, botActions] as const;

/** Their lifecycles. */
export const LIFECYCLES: readonly Lifecycle[] = PLUGINS.map(({ lifecycle }) => lifecycle);
