import { eventOnWire, onWire } from "../../api/index.ts";
import { truncateText, isRefusal, refuse } from "../../core/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { answer, notFound, projectRefusal, serve, serveTaskRoutes } from "../../plugin/index.ts";
import type { Caller, Engine, RouteHost, RouteSet } from "../../plugin/index.ts";
import {
  FILE_ROUTES,
  JOBS,
  OPEN_STATUSES,
  STATUS_ROUTES,
  TOKEN_ROUTES,
  USER_ROUTES,
  WORK_ROUTES,
} from "./api.ts";
import type { NoticeKind } from "./api.ts";
import { DeliveryService, stuckJobs } from "./service.ts";
import { deliveryFile, deliveryUser } from "./delivery-job.ts";
import { delivery, SOURCE_TOKEN_INVALID } from "./lifecycle.ts";
import { deleteCached } from "./sql/cached-files.ts";
import { countJobs } from "./sql/jobs.ts";
import { settleNotice } from "./sql/notices.ts";
import { shortestHeartbeat, listWorkers, saveProgress, saveWorkerHeartbeat } from "./sql/progress.ts";
import {
  lockStorageToken,
  readStorageToken,
  saveStorageToken,
  unlockStorageToken,
} from "./sql/storage-tokens.ts";
import { alertAdmins, readOutages } from "./sql/outages.ts";
import { serveOutages } from "./outage-routes.ts";
import type { OutageRow } from "./sql/outages.ts";
import { findUsers, listUsers } from "./sql/users.ts";

/** Default for projects without this setting. */
const HEARTBEAT_SECONDS = Number(delivery.settings.parse({}).heartbeat_seconds);

/** A process that refreshes tokens has this long, twice its own timeout. */
const TOKEN_LOCK_SECONDS = 60;

/** Serves delivery over HTTP. */
export function deliveryRoutes(host: RouteHost): RouteSet[] {
  const { engine } = host;
  const service = new DeliveryService(engine);
  return [
    serveJobs(host, service),
    serveStatus(engine),
    serveUsers(engine, service),
    serveFiles(engine, service),
    serveWork(engine, service),
    serveTokens(engine),
    serveOutages(engine, service),
  ];
}

function serveJobs(host: RouteHost, service: DeliveryService): RouteSet {
  return serveTaskRoutes(JOBS, host, {
    present: (tasks, { caller, replayed }) => service.present(caller, tasks, replayed),
    presentMove: async ({ task, event, lease_token, replayed }, caller) => {
      const [job] = await service.present(caller, [task], replayed);
      return job ? { job, event: event && eventOnWire(event), lease_token } : notFound(task.id);
    },
    // The default title is the file's name.
    complete: async ({ title, ...tap }, caller) => {
      const file = title == null ? await service.source(caller, String(tap.file_id)) : null;
      const named = title ?? (file !== null && "name" in file ? truncateText(file.name.trim(), 200) : "");
      return { ...tap, ...(named === "" ? {} : { title: named }) };
    },
    verbs: {
      listDeliveryJobs: async ({ caller, query: { status, user_id, project_id, cursor, limit } }) => {
        const filter = { statuses: status ?? null, user_id: user_id ?? null, project_id: project_id ?? null };
        const jobs = await service.jobs(caller, { ...filter, before: cursor ?? null, limit: limit + 1 });
        const unknown = jobs.length > 0 ? null : await projectRefusal(host.directory, caller, project_id);
        if (unknown) return unknown;
        const shown = jobs.slice(0, limit);
        return answer(200, { jobs: shown, cursor: jobs.length > limit ? (shown.at(-1)?.id ?? null) : null });
      },
    },
  });
}

function serveStatus(engine: Engine): RouteSet {
  return serve(STATUS_ROUTES, {
    getDeliveryStatus: async ({ caller }) => {
      const { org_id, actor } = caller;
      return engine.transaction(async (tx) => {
        const [counts, stuck, workers, outages] = await Promise.all([
          countJobs(tx, org_id, actor.project_ids),
          stuckJobs(tx, caller, 200),
          listWorkers(tx, org_id),
          readOutages(tx, org_id),
        ]);
        return answer(200, {
          queue: Object.fromEntries(
            OPEN_STATUSES.map((status) => [status, counts.get(status) ?? 0]),
          ) as Record<(typeof OPEN_STATUSES)[number], number>,
          stuck,
          workers: workers.map(({ started_at, heartbeat_at, ...worker }) => ({
            ...worker,
            started_at: onWire(started_at),
            heartbeat_at: onWire(heartbeat_at),
          })),
          source: sourceAlert(outages),
          outages: outages.map(({ side, code, reason, since, probe_at }) => ({
            side,
            code,
            reason,
            since: onWire(since),
            probe_at: onWire(probe_at),
          })),
        });
      });
    },
  });
}

/** Returns the alert about the storage's token; null if the storage accepts it. */
function sourceAlert(outages: readonly OutageRow[]): { needs_admin_since: string; reason: string } | null {
  const alert = outages.find(({ code }) => code === SOURCE_TOKEN_INVALID);
  return alert ? { needs_admin_since: onWire(alert.since), reason: alert.reason } : null;
}

function serveUsers(engine: Engine, service: DeliveryService): RouteSet {
  return serve(USER_ROUTES, {
    listDeliveryUsers: async ({ caller, query: { status, cursor, limit } }) => {
      const filter = { statuses: status ?? null, after: cursor ?? null, limit: limit + 1 };
      const rows = await engine.transaction((tx) => listUsers(tx, caller.org_id, filter));
      const users = rows.slice(0, limit).map(deliveryUser);
      return answer(200, { users, cursor: rows.length > limit ? (users.at(-1)?.id ?? null) : null });
    },
    requestDeliveryAccess: async ({ caller, body: { again, username, chat_id, ...sender } }) => {
      const newUser = { ...sender, username: username ?? null, chat_id: chat_id ?? sender.id };
      const { user, created } = await service.requestAccess(caller, newUser, again);
      return answer(created ? 201 : 200, user);
    },
    getDeliveryUser: async ({ caller, params: { id } }) => {
      const user = (await engine.transaction((tx) => findUsers(tx, caller.org_id, [id]))).get(id);
      return user
        ? answer(200, deliveryUser(user))
        : refuse("NOT_FOUND", `User ${id} was not found.`, { id });
    },
    approveDeliveryUser: ({ caller, params: { id }, body, client_event_id }) =>
      decide(service, caller, "approve", { id, ...body, client_event_id }),
    extendDeliveryUser: ({ caller, params: { id }, body, client_event_id }) =>
      decide(service, caller, "extend", { id, ...body, client_event_id }),
    blockDeliveryUser: ({ caller, params: { id }, body: { decided_by }, client_event_id }) =>
      decide(service, caller, "block", { id, days: null, decided_by, client_event_id }),
  });
}

function serveFiles(engine: Engine, service: DeliveryService): RouteSet {
  return serve(FILE_ROUTES, {
    listDeliveryFiles: async ({ caller, query }) => {
      const found = await service.files(caller, query);
      if (isRefusal(found)) return found;
      const { folder, rows, ...counts } = found;
      return answer(200, {
        folder: folder && deliveryFile(folder),
        files: rows.map(deliveryFile),
        ...counts,
      });
    },
    saveDeliveryFiles: async ({ caller, body: { folder, ...page } }) => {
      await service.saveFolder(caller, { ...page, folder: folder ?? null });
      return answer(204, undefined);
    },
    getDeliverySource: async ({ caller, params: { id } }) => {
      const found = await service.source(caller, id);
      if (isRefusal(found)) return found;
      const { path, revision, telegram_file_id } = found;
      return answer(200, { ...deliveryFile(found), path, revision, telegram_file_id });
    },
    forgetCachedDeliveryFile: async ({ caller, params: { id, telegram_file_id } }) => {
      await engine.transaction((tx) => deleteCached(tx, caller.org_id, { file_id: id, telegram_file_id }));
      return answer(204, undefined);
    },
  });
}

function serveWork(engine: Engine, service: DeliveryService): RouteSet {
  return serve(WORK_ROUTES, {
    reportDeliveryProgress: async ({ caller, body: { worker, jobs } }) => {
      const { org_id, actor } = caller;
      const member_id = actor.id ?? "system";
      return engine.transaction(async (tx) => {
        await saveWorkerHeartbeat(tx, org_id, { ...worker, member_id });
        await saveProgress(tx, org_id, member_id, jobs);
        const heartbeat_seconds = await shortestHeartbeat(tx, org_id, actor.project_ids, HEARTBEAT_SECONDS);
        return answer(200, { heartbeat_seconds });
      });
    },
    recoverDeliveryJobs: async ({ caller: { org_id } }) => {
      const { moved } = await engine.sweep({ org_id, lifecycles: ["delivery"] });
      return answer(200, { moved });
    },
    callDeliveryAdmin: async ({ caller, body: { reason } }) => {
      await engine.transaction((tx) => alertAdmins(tx, caller.org_id, reason));
      return answer(204, undefined);
    },
    takeDeliveryNotices: async ({ caller, body: { limit } }) => {
      const notices = (await service.takeNotices(caller, limit)).map(({ kind, created_at, ...notice }) => ({
        ...notice,
        kind: kind as NoticeKind,
        created_at: onWire(created_at),
      }));
      return answer(200, { notices });
    },
    settleDeliveryNotice: async ({ caller, params: { id } }) => {
      const settled = isUuid(id) && (await engine.transaction((tx) => settleNotice(tx, caller.org_id, id)));
      return settled
        ? answer(204, undefined)
        : refuse("NOT_FOUND", `Notice ${id} was not found, or is settled already.`, { id });
    },
  });
}

function serveTokens(engine: Engine): RouteSet {
  return serve(TOKEN_ROUTES, {
    readStorageToken: async ({ caller: { org_id }, params: { id } }) =>
      answer(200, await engine.transaction((tx) => readStorageToken(tx, org_id, id))),
    lockStorageToken: ({ caller: { org_id }, params: { id }, body }) =>
      engine.transaction(async (tx) => {
        const locked = await lockStorageToken(tx, org_id, { id, ...body, seconds: TOKEN_LOCK_SECONDS });
        return answer(200, { locked, ...(await readStorageToken(tx, org_id, id)) });
      }),
    saveStorageToken: async ({ caller: { org_id }, params: { id }, body: { revision, sealed } }) => {
      const isSaved = await engine.transaction((tx) =>
        saveStorageToken(tx, org_id, { id, revision, sealed }),
      );
      return isSaved
        ? answer(204, undefined)
        : refuse("VERSION_CONFLICT", `Revision ${revision} of the tokens is not the current one.`, { id });
    },
    unlockStorageToken: async ({ caller: { org_id }, params: { id }, body: { holder } }) => {
      await engine.transaction((tx) => unlockStorageToken(tx, org_id, { id, holder }));
      return answer(204, undefined);
    },
  });
}

type DecisionInput = Parameters<DeliveryService["decide"]>[2];

async function decide(
  service: DeliveryService,
  caller: Caller,
  decision: "approve" | "extend" | "block",
  input: DecisionInput,
) {
  const done = await service.decide(caller, decision, input);
  return isRefusal(done) ? done : answer(200, done.answer, { replayed: done.replayed });
}
