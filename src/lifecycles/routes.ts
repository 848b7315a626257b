import type { Directory, Engine } from "../engine/index.ts";
import type { RouteSet, RouteTools } from "../server/index.ts";
import { serveBoard } from "./board/routes.ts";
import { serveBotActions } from "./bot-actions/routes.ts";
import { serveDelivery } from "./delivery/routes.ts";
import { serveCode } from "./code/routes.ts";
import { servePlanner } from "./planner/routes.ts";

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
