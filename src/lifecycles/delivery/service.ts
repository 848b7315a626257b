import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import {
  withIdempotencyKey,
  readClock,
  readProjects,
  visibleProjects,
  wrongField,
} from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, PublicTask, Tx } from "../../plugin/index.ts";
import { decideAccess } from "./access.ts";
import type { Decision } from "./access.ts";
import type { DeliveryEntry, DeliveryJob, DeliveryUser } from "./api.ts";
import { deliveryJob, deliveryUser, replayedJob } from "./delivery-job.ts";
import { fileIdOf } from "./file-id.ts";
import { findFiles } from "./find-files.ts";
import { delivery } from "./lifecycle.ts";
import { OUTAGE_CODES } from "./outage-codes.ts";
import { containsPattern, gramsOf, searchKey, wordGrams, wordsOf } from "./search-words.ts";
import { findFile, deleteUnseenFiles, listFolder, saveFiles } from "./sql/files.ts";
import type { FileRow } from "./sql/files.ts";
import { findJobs, pickJobs, pickStuckJobs } from "./sql/jobs.ts";
import {
  addExpiryWarnings,
  addFailureDigests,
  addNotices,
  deleteOldNotices,
  takeNotices,
} from "./sql/notices.ts";
import type { NoticeRow } from "./sql/notices.ts";
import { clearSourceAlert } from "./sql/outages.ts";
import { pickRetryableJobs } from "./sql/retryable-jobs.ts";
import { addUser, renewRequest, decideUser, findUsers, lockUser } from "./sql/users.ts";
import type { NewUser, UserRow } from "./sql/users.ts";
import { deleteUnusedWords, saveWords } from "./sql/words.ts";

/** Time that a bot has to send a notice before other bots can take it. */
const NOTICE_LOCK_SECONDS = 60;

const MAX_ACCESS_MS = 36_500 * 86_400_000;

/** Default for projects without this setting. */
const STUCK_AFTER_SECONDS = Number(delivery.settings.parse({}).stuck_after_seconds);

/** Implements jobs, users, files and notices of delivery on top of the engine. */
export class DeliveryService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Lists jobs, newest first. */
  async jobs(caller: Caller, { project_id, ...filter }: JobQuery): Promise<DeliveryJob[]> {
    const { org_id, actor } = caller;
    return this.engine.transaction(async (tx) => {
      const projects = visibleProjects(actor, project_id);
      const ids = await pickJobs(tx, org_id, { ...filter, projects, reader: actor.id });
      return readJobs(tx, caller, ids);
    });
  }

  /** Lists jobs that failed because of an outage and were not retried. */
  async retryableJobs(caller: Caller, page: RetryQuery): Promise<DeliveryJob[]> {
    const { org_id, actor } = caller;
    return this.engine.transaction(async (tx) => {
      const filter = { ...page, codes: OUTAGE_CODES, projects: actor.project_ids, reader: actor.id };
      // findJobs returns the newest first.
      return (await readJobs(tx, caller, await pickRetryableJobs(tx, org_id, filter))).toReversed();
    });
  }

  /** Returns the current state of jobs, or their state in a replayed answer. */
  async present(caller: Caller, tasks: readonly PublicTask[], replayed: boolean): Promise<DeliveryJob[]> {
    if (replayed) return tasks.map(replayedJob);
    const ids = tasks.map(({ id }) => id);
    return this.engine.transaction((tx) => readJobs(tx, caller, ids));
  }

  /** Adds or updates a user, and notifies the admins if a user without access asks for it. */
  async requestAccess(
    { org_id }: Caller,
    user: NewUser,
    again: boolean,
  ): Promise<{ user: DeliveryUser; created: boolean }> {
    return this.engine.transaction(async (tx) => {
      const created = await addUser(tx, org_id, user);
      const before = await lockUser(tx, org_id, user.id);
      const waits = before?.status === "PENDING" || before?.status === "EXPIRED";
      const isNewRequest = created || (waits && again && (await renewRequest(tx, org_id, user.id)));
      const current = (await findUsers(tx, org_id, [user.id])).get(user.id);
      if (!current) throw new Error("the added user was not found");
      if (waits && isNewRequest) await addNotices(tx, org_id, [accessRequestNotice(current)]);
      return { user: deliveryUser(current), created };
    });
  }

  async decide(
    caller: Caller,
    decision: Decision,
    { id, days, until, decided_by, client_event_id }: DecisionInput,
  ): Promise<IdempotentResult<DeliveryUser> | Refusal> {
    const { org_id, actor } = caller;
    if (days != null && until != null) return wrongField("until", "give either days or until, not both");
    const end = until == null ? null : Date.parse(until);
    // Without an end as before, so that stored keys keep their meaning.
    const meaning = ["delivery user", decision, id, days ?? null, ...(end === null ? [] : [end])];
    return this.engine.transaction((tx) =>
      withIdempotencyKey(tx, org_id, { client_event_id, actor, meaning }, async () => {
        const user = await lockUser(tx, org_id, id);
        if (!user) return noUser(id);
        const now = await readClock(tx);
        if (end !== null && (end <= now || end > now + MAX_ACCESS_MS))
          return wrongField("until", "must be in the future, at most 36,500 days from now");
        const grantedDays = days ?? (await this.accessDays(tx, org_id));
        const change = decideAccess(decision, user, { now, days: grantedDays, until: end });
        if (change === null) return deliveryUser(user);
        if (isRefusal(change)) return change;
        await decideUser(tx, org_id, id, { ...change, decided_by: decided_by ?? actor.id });
        const decided = { ...user, ...change, decided_by: decided_by ?? actor.id };
        // Admins approve themselves; no notice for that.
        if (decision !== "block" && decided_by !== id)
          await addNotices(tx, org_id, [accessGrantedNotice(decided, decision)]);
        return deliveryUser(decided);
      }),
    );
  }

  /** The library belongs to the org; the setting of its project main applies. */
  private async accessDays(tx: Tx, org_id: string): Promise<number> {
    const { settings } = await readProjects(tx, org_id, ["main"]);
    return Number(this.engine.registry.settingsFor(delivery, settings.get("main")).access_days);
  }

  /** Saves one page of a folder's contents. */
  async saveFolder(
    { org_id }: Caller,
    page: { folder: string | null; scan: string; entries: readonly DeliveryEntry[]; last: boolean },
  ): Promise<void> {
    const { folder, scan, entries, last } = page;
    const folder_id = folder === null ? null : fileIdOf(org_id, folder);
    // The last entry of a path wins, as it does between pages: one statement cannot write a row twice.
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    const files = [...byPath.values()].map(({ kind, path, name, size = null, revision = null }) => ({
      id: fileIdOf(org_id, path),
      parent_id: folder_id,
      kind,
      name,
      sought_as: searchKey(name),
      grams: gramsOf(searchKey(name)),
      path,
      size,
      revision,
    }));
    await this.engine.transaction(async (tx) => {
      await saveFiles(tx, org_id, scan, files);
      const words = new Set(files.flatMap(({ sought_as }) => wordsOf(sought_as)));
      await saveWords(
        tx,
        org_id,
        [...words].map((word) => ({ word, grams: wordGrams(word) })),
      );
      if (!last) return;
      const deleted = await deleteUnseenFiles(tx, org_id, { folder_id, scan });
      await deleteUnusedWords(tx, org_id, [...new Set(deleted.flatMap(wordsOf))]);
      await clearSourceAlert(tx, org_id, null);
    });
  }

  /** Lists a folder, or searches names: in a folder those with all words, in all folders also similar ones. */
  async files(
    { org_id }: Caller,
    { folder_id, q, limit, offset }: FileQuery,
  ): Promise<{ folder: FileRow | null; rows: FileRow[]; total: number; similar: boolean } | Refusal> {
    return this.engine.transaction(async (tx) => {
      const folder = folder_id === undefined ? null : await findFile(tx, org_id, folder_id);
      if (folder_id !== undefined && folder?.kind !== "folder") return noFile(folder_id);
      if (q !== undefined && folder_id === undefined)
        return { folder, ...(await findFiles(tx, org_id, q, { limit, offset })) };
      const patterns = searchKey(q ?? "")
        .split(/\s+/)
        .filter(Boolean)
        .map(containsPattern);
      const page = { folder_id: folder_id ?? null, patterns, limit, offset };
      return { folder, ...(await listFolder(tx, org_id, page)), similar: false };
    });
  }

  async source({ org_id }: Caller, id: string) {
    const found = await this.engine.transaction((tx) => findFile(tx, org_id, id));
    return found ?? noFile(id);
  }

  /** Takes pending notices; each goes to one bot at a time. */
  async takeNotices({ org_id }: Caller, limit: number): Promise<NoticeRow[]> {
    return this.engine.transaction(async (tx) => {
      await addExpiryWarnings(tx, org_id);
      await addFailureDigests(tx, org_id);
      await deleteOldNotices(tx, org_id);
      return takeNotices(tx, org_id, { limit, seconds: NOTICE_LOCK_SECONDS });
    });
  }
}

type JobQuery = Omit<Parameters<typeof pickJobs>[2], "projects" | "reader"> & { project_id: string | null };
type RetryQuery = { since: string; after: string | null; limit: number };
type DecisionInput = {
  id: string;
  days?: number | null | undefined;
  until?: string | null | undefined;
  decided_by?: string | null | undefined;
  client_event_id: string | null;
};
type FileQuery = { folder_id?: string | undefined; q?: string | undefined; limit: number; offset: number };

/** Lists jobs whose last heartbeat is too old. */
export async function stuckJobs(tx: Tx, caller: Caller, limit: number): Promise<DeliveryJob[]> {
  const { org_id, actor } = caller;
  const filter = { projects: actor.project_ids, reader: actor.id, limit };
  return readJobs(tx, caller, await pickStuckJobs(tx, org_id, filter, STUCK_AFTER_SECONDS));
}

async function readJobs(tx: Tx, { org_id, actor }: Caller, ids: readonly string[]): Promise<DeliveryJob[]> {
  const filter = { projects: actor.project_ids, reader: actor.id };
  return (await findJobs(tx, org_id, ids, filter, STUCK_AFTER_SECONDS)).map(deliveryJob);
}

/** The key contains the time of the request: one notice per request. */
function accessRequestNotice({ id, name, username, requested_at, status }: UserRow) {
  const params = { user_id: id, name, username, status };
  return { key: `request:${id}:${requested_at}`, kind: "access_requested", user_id: null, params };
}

function accessGrantedNotice({ id, access_until }: UserRow, decision: "approve" | "extend") {
  const kind = decision === "approve" ? "access_granted" : "access_extended";
  return { key: `${kind}:${id}:${access_until ?? 0}`, kind, user_id: id, params: { access_until } };
}

function noUser(id: string): Refusal {
  return refuse("NOT_FOUND", `User ${id} was not found.`, { id });
}

function noFile(id: string): Refusal {
  return refuse("NOT_FOUND", `File ${id} was not found.`, { id });
}
