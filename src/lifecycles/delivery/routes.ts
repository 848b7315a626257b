import { eventOnWire, onWire } from "../../api/index.ts";
import { firstUnits, isRefusal, refuse } from "../../core/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { answer, notFound, serve, serveTaskRoutes } from "../../plugin/index.ts";
import type { By, Engine, RouteHost, RouteSet } from "../../plugin/index.ts";
import { FILE_ROUTES, JOBS, OPEN_STATUSES, STATUS_ROUTES, USER_ROUTES, WORK_ROUTES } from "./api.ts";
import type { NoticeKind } from "./api.ts";
import { DeliveryDesk, stuckJobs } from "./service.ts";
import { deliveryFile, deliveryUser } from "./delivery-job.ts";
import { delivery } from "./lifecycle.ts";
import { forgetCached } from "./sql/cached-files.ts";
import { countJobs } from "./sql/jobs.ts";
import { settleNotice } from "./sql/notices.ts";
import { eagerestHeartbeat, listWorkers, saveProgress, seeWorker } from "./sql/progress.ts";
import { callAdmin, readSource } from "./sql/source.ts";
import { findUsers, listUsers } from "./sql/users.ts";

/** Where a project says nothing else. */
const HEARTBEAT_SECONDS = Number(delivery.settings.parse({}).heartbeat_seconds);

/** Delivery over HTTP, in its own words. */
export function deliveryRoutes(house: RouteHost): RouteSet[] {
  const { engine } = house;
  const desk = new DeliveryDesk(engine);
  return [
    serveJobs(house, desk),
    serveStatus(engine),
    serveUsers(engine, desk),
    serveFiles(engine, desk),
    serveWork(engine, desk),
  ];
}

function serveJobs(house: RouteHost, desk: DeliveryDesk): RouteSet {
  return serveTaskRoutes(JOBS, house, {
    present: (tasks, { by, replayed }) => desk.tell(by, tasks, replayed),
    presentMove: async ({ task, event, lease_token, replayed }, by) => {
      const [job] = await desk.tell(by, [task], replayed);
      return job ? { job, event: event && eventOnWire(event), lease_token } : notFound(task.id);
    },
    // A job has the name of its file, unless it is given.
    complete: async ({ title, ...tap }, by) => {
      const file = title == null ? await desk.source(by, String(tap.file_id)) : null;
      const named = title ?? (file !== null && "name" in file ? firstUnits(file.name.trim(), 200) : "");
      return { ...tap, ...(named === "" ? {} : { title: named }) };
    },
    verbs: {
      listDeliveryJobs: async ({ by, query: { status, user_id, project_id, cursor, limit } }) => {
        const filter = { statuses: status ?? null, user_id: user_id ?? null, project_id: project_id ?? null };
        const jobs = await desk.jobs(by, { ...filter, before: cursor ?? null, limit: limit + 1 });
        const shown = jobs.slice(0, limit);
        return answer(200, { jobs: shown, cursor: jobs.length > limit ? (shown.at(-1)?.id ?? null) : null });
      },
    },
  });
}

function serveStatus(engine: Engine): RouteSet {
  return serve(STATUS_ROUTES, {
    getDeliveryStatus: async ({ by }) => {
      const { org_id, actor } = by;
      return engine.transaction(async (tx) => {
        const [counts, stuck, workers, source] = await Promise.all([
          countJobs(tx, org_id, actor.project_ids),
          stuckJobs(tx, by, 200),
          listWorkers(tx, org_id),
          readSource(tx, org_id),
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
          source: source && {
            needs_admin_since: onWire(source.needs_admin_since),
            reason: source.reason,
          },
        });
      });
    },
  });
}

function serveUsers(engine: Engine, desk: DeliveryDesk): RouteSet {
  return serve(USER_ROUTES, {
    listDeliveryUsers: async ({ by, query: { status, cursor, limit } }) => {
      const filter = { statuses: status ?? null, after: cursor ?? null, limit: limit + 1 };
      const rows = await engine.transaction((tx) => listUsers(tx, by.org_id, filter));
      const users = rows.slice(0, limit).map(deliveryUser);
      return answer(200, { users, cursor: rows.length > limit ? (users.at(-1)?.id ?? null) : null });
    },
    requestDeliveryAccess: async ({ by, body: { again, username, chat_id, ...user } }) => {
      const asking = { ...user, username: username ?? null, chat_id: chat_id ?? user.id };
      const { user: told, made } = await desk.requestAccess(by, asking, again);
      return answer(made ? 201 : 200, told);
    },
    getDeliveryUser: async ({ by, params: { id } }) => {
      const user = (await engine.transaction((tx) => findUsers(tx, by.org_id, [id]))).get(id);
      return user ? answer(200, deliveryUser(user)) : refuse("NOT_FOUND", `There is no user ${id}.`, { id });
    },
    approveDeliveryUser: ({ by, params: { id }, body: { days, decided_by }, client_event_id }) =>
      decide(desk, by, "approve", { id, days, decided_by, client_event_id }),
    extendDeliveryUser: ({ by, params: { id }, body: { days, decided_by }, client_event_id }) =>
      decide(desk, by, "extend", { id, days, decided_by, client_event_id }),
    blockDeliveryUser: ({ by, params: { id }, body: { decided_by }, client_event_id }) =>
      decide(desk, by, "block", { id, days: null, decided_by, client_event_id }),
  });
}

function serveFiles(engine: Engine, desk: DeliveryDesk): RouteSet {
  return serve(FILE_ROUTES, {
    listDeliveryFiles: async ({ by, query }) => {
      const found = await desk.files(by, query);
      if (isRefusal(found)) return found;
      const { folder, rows, total } = found;
      return answer(200, { folder: folder && deliveryFile(folder), files: rows.map(deliveryFile), total });
    },
    saveDeliveryFiles: async ({ by, body: { folder, ...told } }) => {
      await desk.saveFolder(by, { ...told, folder: folder ?? null });
      return answer(204, undefined);
    },
    getDeliverySource: async ({ by, params: { id } }) => {
      const found = await desk.source(by, id);
      if (isRefusal(found)) return found;
      const { path, revision, telegram_file_id } = found;
      return answer(200, { ...deliveryFile(found), path, revision, telegram_file_id });
    },
    forgetCachedDeliveryFile: async ({ by, params: { id, telegram_file_id } }) => {
      await engine.transaction((tx) => forgetCached(tx, by.org_id, { file_id: id, telegram_file_id }));
      return answer(204, undefined);
    },
  });
}

function serveWork(engine: Engine, desk: DeliveryDesk): RouteSet {
  return serve(WORK_ROUTES, {
    tellDeliveryProgress: async ({ by, body: { worker, jobs } }) => {
      const { org_id, actor } = by;
      const member_id = actor.id ?? "system";
      return engine.transaction(async (tx) => {
        await seeWorker(tx, org_id, { ...worker, member_id });
        await saveProgress(tx, org_id, member_id, jobs);
        const heartbeat_seconds = await eagerestHeartbeat(tx, org_id, actor.project_ids, HEARTBEAT_SECONDS);
        return answer(200, { heartbeat_seconds });
      });
    },
    recoverDeliveryJobs: async ({ by: { org_id } }) => {
      const { moved } = await engine.sweep({ org_id, lifecycles: ["delivery"] });
      return answer(200, { moved });
    },
    callDeliveryAdmin: async ({ by, body: { reason } }) => {
      await engine.transaction((tx) => callAdmin(tx, by.org_id, reason));
      return answer(204, undefined);
    },
    takeDeliveryNotices: async ({ by, body: { limit } }) => {
      const notices = (await desk.takeNotices(by, limit)).map(({ kind, created_at, ...notice }) => ({
        ...notice,
        kind: kind as NoticeKind,
        created_at: onWire(created_at),
      }));
      return answer(200, { notices });
    },
    settleDeliveryNotice: async ({ by, params: { id } }) => {
      const settled = isUuid(id) && (await engine.transaction((tx) => settleNotice(tx, by.org_id, id)));
      return settled
        ? answer(204, undefined)
        : refuse("NOT_FOUND", `There is no notice ${id} that is owed.`, { id });
    },
  });
}

type Decided = Parameters<DeliveryDesk["decide"]>[2];

async function decide(desk: DeliveryDesk, by: By, decision: "approve" | "extend" | "block", what: Decided) {
  const done = await desk.decide(by, decision, what);
  return isRefusal(done) ? done : answer(200, done.answer, { replayed: done.replayed });
}
