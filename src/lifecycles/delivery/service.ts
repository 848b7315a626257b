import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answerOnce, readClock, readProjects, visibleProjects } from "../../plugin/index.ts";
import type { By, Engine, Once, PublicTask, Tx } from "../../plugin/index.ts";
import { decideAccess } from "./access.ts";
import type { Decision } from "./access.ts";
import type { DeliveryEntry, DeliveryJob, DeliveryUser } from "./api.ts";
import { deliveryJob, deliveryUser, jobAsAnswered } from "./delivery-job.ts";
import { fileIdOf, soughtAs } from "./file-id.ts";
import { delivery } from "./lifecycle.ts";
import { findFile, forgetFiles, listFiles, saveFiles } from "./sql/files.ts";
import type { FileRow } from "./sql/files.ts";
import { findJobs, pickJobs, pickStuckJobs } from "./sql/jobs.ts";
import { dropOldNotices, giveNotices, takeNotices, warnOfEnds } from "./sql/notices.ts";
import type { NoticeRow } from "./sql/notices.ts";
import { sourceIsWell } from "./sql/source.ts";
import { addUser, askAgain, decideUser, findUsers, lockUser } from "./sql/users.ts";
import type { NewUser, UserRow } from "./sql/users.ts";

/** How long a bot may take to say something before another one does. */
const NOTICE_SECONDS = 60;

/** Where a project says nothing else. */
const STUCK_AFTER_SECONDS = Number(delivery.settings.parse({}).stuck_after_seconds);

/** Delivery's verbs over the engine's. */
export class DeliveryDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Newest first. */
  async jobs(by: By, { project_id, ...asked }: JobQuery): Promise<DeliveryJob[]> {
    const { org_id, actor } = by;
    return this.engine.transaction(async (tx) => {
      const projects = visibleProjects(actor, project_id);
      const ids = await pickJobs(tx, org_id, { ...asked, projects, reader: actor.id });
      return tellJobs(tx, by, ids);
    });
  }

  /** Jobs as they are now, or as an earlier answer had them. */
  async tell(by: By, tasks: readonly PublicTask[], replayed: boolean): Promise<DeliveryJob[]> {
    if (replayed) return tasks.map(jobAsAnswered);
    const ids = tasks.map(({ id }) => id);
    return this.engine.transaction((tx) => tellJobs(tx, by, ids));
  }

  /** Whoever comes is known from then on; the admins hear of one who has no access and wants it. */
  async requestAccess(
    { org_id }: By,
    user: NewUser,
    again: boolean,
  ): Promise<{ user: DeliveryUser; made: boolean }> {
    return this.engine.transaction(async (tx) => {
      const made = await addUser(tx, org_id, user);
      const before = await lockUser(tx, org_id, user.id);
      const waits = before?.status === "PENDING" || before?.status === "EXPIRED";
      const asked = made || (waits && again && (await askAgain(tx, org_id, user.id)));
      const known = (await findUsers(tx, org_id, [user.id])).get(user.id);
      if (!known) throw new Error("a user who was just added is not there");
      if (waits && asked) await giveNotices(tx, org_id, [requestOf(known)]);
      return { user: deliveryUser(known), made };
    });
  }

  async decide(
    by: By,
    decision: Decision,
    { id, days, decided_by, client_event_id }: Decided,
  ): Promise<Once<DeliveryUser> | Refusal> {
    const { org_id, actor } = by;
    const meaning = ["delivery user", decision, id, days ?? null];
    return this.engine.transaction((tx) =>
      answerOnce(tx, org_id, { client_event_id, actor, meaning }, async () => {
        const user = await lockUser(tx, org_id, id);
        if (!user) return noUser(id);
        const now = await readClock(tx);
        const given = days ?? (await this.accessDays(tx, org_id));
        const change = decideAccess(decision, user, { now, days: given });
        if (change === null) return deliveryUser(user);
        if (isRefusal(change)) return change;
        await decideUser(tx, org_id, id, { ...change, decided_by: decided_by ?? actor.id });
        const decided = { ...user, ...change, decided_by: decided_by ?? actor.id };
        // Who lets himself in, as admins do, need not be told.
        if (decision !== "block" && decided_by !== id)
          await giveNotices(tx, org_id, [grantOf(decided, decision)]);
        return deliveryUser(decided);
      }),
    );
  }

  /** The library is the org's; its main project says for how long access is given. */
  private async accessDays(tx: Tx, org_id: string): Promise<number> {
    const { settings } = await readProjects(tx, org_id, ["main"]);
    return Number(this.engine.registry.settingsFor(delivery, settings.get("main")).access_days);
  }

  /** One page of what lies in a folder. */
  async saveFolder(
    { org_id }: By,
    told: { folder: string | null; scan: string; entries: readonly DeliveryEntry[]; last: boolean },
  ): Promise<void> {
    const { folder, scan, entries, last } = told;
    const folder_id = folder === null ? null : fileIdOf(org_id, folder);
    // The last entry of a path wins, as it does between pages: one statement cannot write a row twice.
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    const files = [...byPath.values()].map(({ kind, path, name, size = null, revision = null }) => ({
      id: fileIdOf(org_id, path),
      parent_id: folder_id,
      kind,
      name,
      sought_as: soughtAs(name),
      path,
      size,
      revision,
    }));
    await this.engine.transaction(async (tx) => {
      await saveFiles(tx, org_id, scan, files);
      if (!last) return;
      await forgetFiles(tx, org_id, { folder_id, scan });
      await sourceIsWell(tx, org_id);
    });
  }

  async files(
    { org_id }: By,
    { folder_id, q, limit, offset }: FileQuery,
  ): Promise<{ folder: FileRow | null; rows: FileRow[]; total: number } | Refusal> {
    return this.engine.transaction(async (tx) => {
      const folder = folder_id === undefined ? null : await findFile(tx, org_id, folder_id);
      if (folder_id !== undefined && folder?.kind !== "folder") return noFile(folder_id);
      const words = q === undefined ? [] : soughtAs(q).split(/\s+/).filter(Boolean);
      const within = q === undefined ? (folder_id ?? null) : folder_id;
      return { folder, ...(await listFiles(tx, org_id, { folder_id: within, words, limit, offset })) };
    });
  }

  async source({ org_id }: By, id: string) {
    const found = await this.engine.transaction((tx) => findFile(tx, org_id, id));
    return found ?? noFile(id);
  }

  /** What is owed to users and admins, for one bot at a time. */
  async takeNotices({ org_id }: By, limit: number): Promise<NoticeRow[]> {
    return this.engine.transaction(async (tx) => {
      await warnOfEnds(tx, org_id);
      await dropOldNotices(tx, org_id);
      return takeNotices(tx, org_id, { limit, seconds: NOTICE_SECONDS });
    });
  }
}

type JobQuery = Omit<Parameters<typeof pickJobs>[2], "projects" | "reader"> & { project_id: string | null };
type Decided = {
  id: string;
  days: number | null | undefined;
  decided_by: string | null | undefined;
  client_event_id: string | null;
};
type FileQuery = { folder_id?: string | undefined; q?: string | undefined; limit: number; offset: number };

/** Jobs whose workers have not been heard of for too long. */
export async function stuckJobs(tx: Tx, by: By, limit: number): Promise<DeliveryJob[]> {
  const { org_id, actor } = by;
  const asked = { projects: actor.project_ids, reader: actor.id, limit };
  return tellJobs(tx, by, await pickStuckJobs(tx, org_id, asked, STUCK_AFTER_SECONDS));
}

async function tellJobs(tx: Tx, { org_id, actor }: By, ids: readonly string[]): Promise<DeliveryJob[]> {
  const asked = { projects: actor.project_ids, reader: actor.id };
  return (await findJobs(tx, org_id, ids, asked, STUCK_AFTER_SECONDS)).map(deliveryJob);
}

/** Once for each time he asks. */
function requestOf({ id, name, username, requested_at, status }: UserRow) {
  const params = { user_id: id, name, username, status };
  return { key: `request:${id}:${requested_at}`, kind: "access_requested", user_id: null, params };
}

function grantOf({ id, access_until }: UserRow, decision: "approve" | "extend") {
  const kind = decision === "approve" ? "access_granted" : "access_extended";
  return { key: `${kind}:${id}:${access_until ?? 0}`, kind, user_id: id, params: { access_until } };
}

function noUser(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no user ${id}.`, { id });
}

function noFile(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no file ${id}.`, { id });
}
