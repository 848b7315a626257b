import { problemDocument } from "../api/index.ts";
import type { ProblemDocument, Route } from "../api/index.ts";
import { isRefusal, refuse } from "../core/index.ts";
import { adminRefusal } from "../engine/index.ts";
import type { Caller, Directory, Engine } from "../engine/index.ts";
import { permissionCheck } from "./auth/route-permission.ts";
import { PoolWatch } from "./claims/pool-watch.ts";
import { serveClaims } from "./routes/claims.ts";
import { serveInbox } from "./routes/inbox.ts";
import { serveLifecycles } from "./routes/lifecycles.ts";
import { serveMembers } from "./routes/members.ts";
import { serveInsights } from "./routes/insights.ts";
import { serveOverview } from "./routes/overview.ts";
import { serveProjects } from "./routes/projects.ts";
import { serveTasks } from "./routes/tasks.ts";
import { problemOfError } from "./routing/problem-reply.ts";
import type { OwnProblems } from "./routing/problem-reply.ts";
import { routeHandler } from "./routing/route-handler.ts";
import type { UnreadRequest } from "./routing/route-handler.ts";
import type { RouteSet } from "./routing/route-set.ts";

/** The body of an answer, or the problem with the error that caused it. */
type LocalAnswer =
  { kind: "answered"; body: unknown } | { kind: "problem"; document: ProblemDocument; cause?: unknown };

export type LocalCall = (
  request: Omit<UnreadRequest, "caller">,
  callerOf: () => Caller | Promise<Caller>,
  signal: AbortSignal,
) => Promise<LocalAnswer>;

type LocalDeps = {
  engine: Engine;
  directory: Directory;
  /** The problems that plugins define. */
  own: OwnProblems;
  /** Ends waiting claims. */
  stopping: AbortSignal;
};

/**
 * The routes for tasks, claims, projects, members, figures and the inbox, as functions for callers in the same process. A call is validated,
 * permitted, handled and answered like a request over HTTP.
 */
export function localRoutes({ engine, directory, own, stopping }: LocalDeps): Record<string, LocalCall> {
  const lifecycles = [...engine.registry.lifecycles.values()];
  const pools = new PoolWatch(engine.commits, stopping);
  // A failed action of a batch is part of the answer; there is no log to write it to as well.
  const log = { error: () => undefined };
  const sets = [
    serveLifecycles(lifecycles),
    serveTasks({ engine, directory, own, log }),
    serveClaims({ engine, pools }),
    serveProjects(directory),
    serveMembers(directory),
    serveOverview(engine, directory),
    serveInsights(engine, directory),
    serveInbox(engine, own),
  ];
  const calls = (set: RouteSet) =>
    Object.entries(set.table).map(([name, route]) => [name, localCall(set, name, route)]);

  function localCall({ verbs, bodyChecks }: RouteSet, name: string, route: Route): LocalCall {
    const verb = verbs[name];
    if (!verb) throw new Error(`no handler for ${route.method} ${route.path}`);
    const handle = routeHandler(route, verb, bodyChecks[name], own);
    const permission = permissionCheck(route, lifecycles);
    return async (request, callerOf, signal) => {
      try {
        const caller = await callerOf();
        const { actor } = caller;
        const forbidden = (route.access === "admin" ? adminRefusal(actor) : null) ?? permission(actor);
        const identify = () => Promise.resolve({ kind: "known" as const, ...caller });
        const more = { signal: () => signal, identify };
        const done = forbidden ?? (await handle({ ...request, caller }, () => more));
        return isRefusal(done)
          ? { kind: "problem", document: problemDocument(done, { own }) }
          : { kind: "answered", body: done.body };
      } catch (error) {
        const { code, detail, params, fault } = problemOfError(error);
        const explained = fault && error instanceof Error ? `${detail} ${error.message}` : detail;
        const document = problemDocument(refuse(code, explained, params), { own });
        return { kind: "problem", document, cause: error };
      }
    };
  }
  return Object.fromEntries(sets.flatMap(calls)) as Record<string, LocalCall>;
}
