import type { LifecycleParts } from "../engine/lifecycle-parts.ts";
import { boardParts } from "./board/parts.ts";

/** What the lifecycles that ship with Pawl bring for the engine beside their definitions. */
export const PARTS: Readonly<Record<string, LifecycleParts>> = { board: boardParts };
