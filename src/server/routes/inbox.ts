import { INBOX_ROUTES, onWire, onWireOrNull, problemDocument } from "../../api/index.ts";
import type { InboxRequestOnWire } from "../../api/index.ts";
import { isRefusal } from "../../core/index.ts";
import type { Binding, Engine, InboxEntry } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import type { OwnProblems } from "../routing/problem-reply.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Requests of `pawl.enqueue`, and the SQL roles that may make them. */
export function serveInbox({ inbox }: Engine, own: OwnProblems): RouteSet {
  return serve(INBOX_ROUTES, {
    listInbox: async ({ caller, query }) => {
      const listed = await inbox.list(caller, defined(query));
      if (isRefusal(listed)) return listed;
      const { entries, cursor, waiting, refused } = listed;
      return answer(200, {
        requests: entries.map((one) => requestOnWire(one, own)),
        cursor,
        waiting,
        refused,
      });
    },
    retryInboxRequest: async ({ caller, params }) => {
      const retried = await inbox.retry(caller, params.id);
      if (isRefusal(retried)) return retried;
      const { outcome, task_id, entry } = retried;
      return answer(200, { outcome, task_id, request: entry && requestOnWire(entry, own) });
    },
    discardInboxRequest: async ({ caller, params }) => {
      const discarded = await inbox.discard(caller, params.id);
      return isRefusal(discarded) ? discarded : answer(204, undefined);
    },
    listSqlBindings: async ({ caller }) => {
      const listed = await inbox.bindings(caller);
      return isRefusal(listed) ? listed : answer(200, { bindings: listed.bindings.map(bindingOnWire) });
    },
    bindSqlRole: async ({ caller, params }) => {
      const bound = await inbox.bind(caller, params.role, params.member_id);
      return isRefusal(bound) ? bound : answer(200, bindingOnWire(bound.binding));
    },
    unbindSqlRole: async ({ caller, params }) => {
      const unbound = await inbox.unbind(caller, params.role, params.member_id);
      return isRefusal(unbound) ? unbound : answer(204, undefined);
    },
  });
}

function requestOnWire(entry: InboxEntry, own: OwnProblems): InboxRequestOnWire {
  const { role_name: role, created_at, due_at, refused_at, refusal, failure: _, ...rest } = entry;
  return {
    ...rest,
    role,
    state: refused_at === null ? "waiting" : "refused",
    created_at: onWire(created_at),
    due_at: refused_at === null ? onWire(due_at) : null,
    refused_at: onWireOrNull(refused_at),
    refusal: refusal && problemDocument(refusal, { own }),
  };
}

function bindingOnWire({ role_name: role, created_at, ...rest }: Binding) {
  return { ...rest, role, created_at: onWire(created_at) };
}
