import type { Directory } from "../engine/directory.ts";
import type { Engine } from "../engine/engine.ts";
import type { RouteTools } from "../http/server.ts";
import type { RouteSet } from "../http/route-set.ts";
import { serveBoard } from "./board/serve-board.ts";
import { serveBotActions } from "./bot-actions/serve-bot-actions.ts";
import { serveDelivery } from "./delivery/serve-delivery.ts";
import { serveCode } from "./code/serve-code.ts";
import { servePlanner } from "./planner/serve-planner.ts";

/** The routes that the lifecycles which ship with Pawl have of their own. */
export function lifecycleRoutes(house: { engine: Engine; directory: Directory }) {
  return ({ openFeed, pools }: RouteTools): RouteSet[] => [
    ...serveBoard(house),
    ...servePlanner(house),
    ...serveDelivery(house),
    serveBotActions(house, openFeed),
    ...serveCode({ ...house, pools }),
  ];
}
