import type { ReplyOf } from "../../../api/index.ts";
import type { DELIVERY_ROUTES } from "../api.ts";
import { client, useLiveQuery, useMe } from "../../../console/index.ts";
import type { Me } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const delivery = client.calls<typeof DELIVERY_ROUTES>(ROWS);

export type Job = ReplyOf<typeof DELIVERY_ROUTES.getDeliveryJob>;
export type User = ReplyOf<typeof DELIVERY_ROUTES.getDeliveryUser>;
export type Status = ReplyOf<typeof DELIVERY_ROUTES.getDeliveryStatus>;

/** Polled, because progress, heartbeats and requests for access are not events of a task. */
export const POLL_INTERVAL_MS = 2_000;

const MAX_USERS = 200;

/** Returns whether the server lets a member manage the library's users. */
export function managesUsers({ roles, project_ids }: Me): boolean {
  return roles.includes("admin") && (project_ids === null || project_ids.includes("main"));
}

/** Fetches all users and requests for access; only for admins. */
export function useDeliveryUsers(lifecycle: string) {
  const enabled = managesUsers(useMe());
  return useLiveQuery({
    lifecycle,
    key: ["users"],
    ask: (signal) => delivery.listDeliveryUsers({ limit: MAX_USERS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
    enabled,
  });
}
