import { ENGINE_MIGRATIONS } from "../engine/index.ts";
import type { LifecycleParts } from "../engine/index.ts";
import { boardParts } from "./board/plugin.ts";
import { botActionParts } from "./bot-actions/plugin.ts";
import { deliveryParts } from "./delivery/plugin.ts";
import { plannerParts } from "./planner/plugin.ts";
import { codeParts } from "./code/plugin.ts";

/** What the lifecycles that ship with Pawl bring for the engine beside their definitions. */
export const PARTS: Readonly<Record<string, LifecycleParts>> = {
  board: boardParts,
  "bot-actions": botActionParts,
  delivery: deliveryParts,
  planner: plannerParts,
  code: codeParts,
};

/** Where all of Pawl's migrations are. */
export const MIGRATIONS: readonly URL[] = [
  ENGINE_MIGRATIONS,
  ...Object.values(PARTS).flatMap(({ migrations }) => migrations ?? []),
];
