import type { LifecycleParts } from "../../engine/index.ts";
import { pruneMessages } from "./sql/prune-messages.ts";

/** What bot actions bring for the engine: the tables of chats, how their messages go, and which workspace a new action is in. */
export const botActionParts: LifecycleParts = {
  migrations: new URL("./migrations/", import.meta.url),
  prune: pruneMessages,
  creation_facts: {
    workspace: (_tx, _org_id, asks) => Promise.resolve(asks.map(({ project_id }) => project_id)),
  },
};
