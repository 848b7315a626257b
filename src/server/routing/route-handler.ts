import type { IncomingHttpHeaders } from "node:http";
import { isRefusal } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Route } from "../../api/index.ts";
import type { Caller } from "../../engine/index.ts";
import type { OwnProblems } from "./problem-reply.ts";
import { readerOf } from "./read-call.ts";
import type { Answer, BodyCheck, Call, Verb } from "./route-set.ts";

/** A request of an authenticated caller, not yet validated. */
export type UnreadRequest = {
  caller: Caller | null;
  params: unknown;
  query: unknown;
  body: unknown;
  headers: IncomingHttpHeaders;
};

/** Validates a request by its row and handles it. `more` are the parts of a call that depend on how the request arrived. */
export type RouteHandler = (
  request: UnreadRequest,
  more: () => Pick<Call, "signal" | "identify">,
) => Promise<Answer | Refusal>;

/** Creates the handler of one route, for requests over HTTP and from the same process. */
export function routeHandler(
  route: Route,
  verb: Verb,
  checkBody: BodyCheck | undefined,
  own: OwnProblems,
): RouteHandler {
  const read = readerOf(route, own);
  return async (request, more) => {
    const parts = read(request);
    const invalid = isRefusal(parts);
    const { caller, body, headers } = request;
    const params = request.params as Record<string, string>;
    const forbidden = caller && checkBody ? await checkBody({ caller, params, body, invalid }) : null;
    if (forbidden ?? invalid) return forbidden ?? (parts as Refusal);
    return verb({ caller, params, headers, ...parts, ...more() } as Call);
  };
}
