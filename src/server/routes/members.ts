import { isRefusal } from "../../core/index.ts";
import { MEMBER_ROUTES, onWire, onWireOrNull } from "../../api/index.ts";
import type { Directory, Member } from "../../engine/index.ts";
import { defined } from "../routing/defined.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

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
        tokens: tokens.map(({ created_at, expires_at, revoked_at, ...token }) => ({
          ...token,
          created_at: onWire(created_at),
          expires_at: onWireOrNull(expires_at),
          revoked_at: onWireOrNull(revoked_at),
        })),
      });
    },
    createToken: async ({ caller, params }) => {
      const issued = await directory.issueToken(caller, params.id);
      if (isRefusal(issued)) return issued;
      return answer(201, { id: issued.id, token: issued.token });
    },
    revokeToken: async ({ caller, params }) => {
      const revoked = await directory.accessTokens.revokeToken(caller, params.id);
      return isRefusal(revoked) ? revoked : answer(204, undefined);
    },
  });
}
