import type { Directory } from "../engine/directory.ts";
import type { Engine } from "../engine/engine.ts";
import type { RouteSet } from "../http/route-set.ts";
import { serveBoard } from "./board/serve-board.ts";

/** The routes that the lifecycles which ship with Pawl have of their own. */
export function lifecycleRoutes(house: { engine: Engine; directory: Directory }): RouteSet[] {
  return [...serveBoard(house)];
}
