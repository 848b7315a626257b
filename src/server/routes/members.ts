import { isRefusal } from "../../core/index.ts";
import { MEMBER_ROUTES, onWire, onWireOrNull } from "../../api/index.ts";
import { DAY_MS } from "../../engine/index.ts";
import type { Directory, Member } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

const HOUR_MS = DAY_MS / 24;

/** Members and their tokens: any member reads, admins write. */
export function serveMembers(directory: Directory): RouteSet {
  return serve(MEMBER_ROUTES, {
    getMe: ({ caller: { org_id, actor } }) => answer(200, { org_id, ...(actor as Member), active: true }),
    listMembers: async ({ caller, query }) => answer(200, await directory.members(caller, query)),
    getMember: async ({ caller, params: { id } }) => {
      const member = await directory.member(caller, id);
      return isRefusal(member) ? member : answer(200, member);
    },
    createMember: async ({ caller, body: { client_event_id: _, ...given }, client_event_id }) => {
      const made = await directory.addMember(caller, defined(given), { client_event_id });
      return isRefusal(made) ? made : answer(201, made.answer, { replayed: made.replayed });
    },
    changeMember: async ({ caller, params, body: { client_event_id: _, ...change }, client_event_id }) => {
      const made = await directory.changeMember(caller, params.id, defined(change), { client_event_id });
      return isRefusal(made) ? made : answer(200, made.answer, { replayed: made.replayed });
    },
    listTokens: async ({ caller, params, query }) => {
      const tokens = await directory.accessTokens.tokens(caller, params.id, query);
      if (isRefusal(tokens)) return tokens;
      return answer(200, {
        tokens: tokens.map(({ created_at, expires_at, revoked_at, last_used_at, ...token }) => ({
          ...token,
          created_at: onWire(created_at),
          expires_at: onWireOrNull(expires_at),
          revoked_at: onWireOrNull(revoked_at),
          last_used_at: onWireOrNull(last_used_at),
        })),
      });
    },
    createToken: async ({ caller, params, body: { name, expires_in_days = null } }) => {
      const expires_in_ms = expires_in_days === null ? null : expires_in_days * DAY_MS;
      const issued = await directory.issueToken(caller, params.id, { name, expires_in_ms });
      if (isRefusal(issued)) return issued;
      return answer(201, { id: issued.id, token: issued.token });
    },
    rotateToken: async ({ caller, params, body: { overlap_hours } }) => {
      const overlap_ms = overlap_hours * HOUR_MS;
      const issued = await directory.accessTokens.rotateToken(caller, params.id, { overlap_ms });
      if (isRefusal(issued)) return issued;
      return answer(201, { id: issued.id, token: issued.token });
    },
    revokeToken: async ({ caller, params }) => {
      const revoked = await directory.accessTokens.revokeToken(caller, params.id);
      return isRefusal(revoked) ? revoked : answer(204, undefined);
    },
  });
}
