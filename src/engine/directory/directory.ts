import { v7 as uuidv7 } from "uuid";
import { isRefusal, isStorable, PawlError } from "../../core/index.ts";
import type { Actor, JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import { createOrgWithAdmin, ensureAdmin, resetAdmin, setAdminToken } from "./admin.ts";
import type { TokenStore } from "./admin.ts";
import { withIdempotencyKey } from "../write/with-idempotency-key.ts";
import type { IdempotentResult } from "../write/with-idempotency-key.ts";
import { queryOutsideTransaction } from "../query-outside-transaction.ts";
import { Authenticator } from "./authenticator.ts";
import type { Authenticated } from "./authenticator.ts";
import { isUnstorable } from "../../postgres/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { Caller } from "../caller.ts";
import { changedSettings } from "../read/project-settings.ts";
import { refusalOfData } from "../refusals.ts";
import { addMember, changeMember, findMember, isFullAdmin, listMembers, lockMember } from "../sql/members.ts";
import type { MemberRow } from "../sql/members.ts";
import { deleteLoginCodes } from "../sql/login-codes.ts";
import { endSessionsOf } from "../sql/sessions.ts";
import { addProject, changeProject, listProjects, lockProject } from "../sql/projects.ts";
import type { ProjectRow } from "../sql/projects.ts";
import { AccessTokens } from "./access-tokens.ts";
import { adminRefusal, lastAdmin, noMember, noProject, reachRefusal, taken } from "./directory-refusals.ts";
import { DEFAULT_SESSION_TIMES, Sessions } from "./sessions.ts";
import type { SessionTimes } from "./sessions.ts";
import { transact } from "../transact.ts";
import type { Timeouts } from "../transact.ts";
import type { Tx } from "../transaction.ts";
import { visibleProjects } from "../read/visible-projects.ts";

export type Member = MemberRow;
/** A project of an org. */
export type Project = ProjectRow;
export type Page = { cursor?: string | null | undefined; limit?: number | undefined };
/** An idempotency key: a repeated request with the same key gets the same answer. */
export type Key = { client_event_id?: string | null | undefined };

type MemberChange = Partial<Omit<Member, "id">>;

const DEFAULT_PAGE_SIZE = 50;
/** Timeout of authentication, shorter than that of other requests. */
const AUTH_TIMEOUT_MS = 3_000;

/** The members, projects and tokens of orgs. */
export class Directory {
  private readonly sql: Sql;
  private readonly timeouts: Timeouts;
  private readonly authTimeoutMs: number;
  private readonly lifecycles: ReadonlyMap<string, Lifecycle>;
  private readonly authenticator: Authenticator;
  /** Tokens of programs. */
  readonly accessTokens: AccessTokens;
  /** Sessions of browsers. */
  readonly sessions: Sessions;

  constructor(
    sql: Sql,
    lifecycles: readonly Lifecycle[],
    {
      sessionTimes = DEFAULT_SESSION_TIMES,
      ...timeouts
    }: Partial<Timeouts> & { sessionTimes?: SessionTimes | undefined } = {},
  ) {
    this.sql = sql;
    this.timeouts = { retryTimeoutMs: 10_000, statementTimeoutMs: 30_000, ...timeouts };
    this.authTimeoutMs = timeouts.retryTimeoutMs ?? AUTH_TIMEOUT_MS;
    const { idleMs } = sessionTimes;
    this.authenticator = new Authenticator(sql, { timeoutMs: this.authTimeoutMs, idleMs });
    const transaction = <T>(work: (tx: Tx) => Promise<T>) => this.transact(work);
    this.accessTokens = new AccessTokens(transaction);
    this.sessions = new Sessions(transaction, sessionTimes);
    this.lifecycles = new Map(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle]));
  }

  /**
   * Finds the member of a token. It queries the database each time, so a revoked token is refused from the next request on. The
   * time of a use is recorded; the repeated check of an open stream is none.
   */
  authenticate(token: string, { isUse = true } = {}): Promise<Authenticated | Refusal> {
    return this.authenticator.authenticate(token, isUse);
  }

  /** Resolves if the database answers. */
  async ping(retryTimeoutMs = this.authTimeoutMs): Promise<void> {
    await queryOutsideTransaction(this.sql, retryTimeoutMs, "select 1", []);
  }

  /** Creates an admin for an org that never had a token, and stores the admin's token with `keeping`. */
  ensureAdmin(org_id: string, keeping: TokenStore): Promise<"made" | "there already"> {
    return ensureAdmin(this.sql, org_id, keeping);
  }

  setAdminToken(org_id: string, token: string): Promise<void> {
    return setAdminToken(this.sql, org_id, token);
  }

  resetAdmin(org_id: string): Promise<string> {
    return resetAdmin(this.sql, org_id);
  }

  /** Creates an org and returns the token of its admin. */
  createOrg(id: string): Promise<string> {
    return createOrgWithAdmin(this.sql, id);
  }

  async members(
    { org_id, actor }: Caller,
    { cursor = null, limit = DEFAULT_PAGE_SIZE }: Page = {},
  ): Promise<{ members: Member[]; cursor: string | null }> {
    const rows = await this.transact((tx) => listMembers(tx, org_id, { cursor, limit: limit + 1 }));
    const members = rows.slice(0, limit).map((row) => shownTo(actor, row));
    return { members, cursor: rows.length > limit ? (members.at(-1)?.id ?? null) : null };
  }

  async member({ org_id, actor }: Caller, id: string): Promise<Member | Refusal> {
    if (!isStorable(id)) return noMember(id);
    const found = await this.transact((tx) => findMember(tx, org_id, id));
    return found ? shownTo(actor, found) : noMember(id);
  }

  async addMember(
    { org_id, actor }: Caller,
    given: Partial<Member>,
    { client_event_id = null }: Key = {},
  ): Promise<IdempotentResult<Member> | Refusal> {
    const { id = uuidv7() } = given;
    const member = { ...NEW_MEMBER, ...given, id, name: given.name ?? id };
    const forbidden = adminRefusal(actor) ?? reachRefusal(actor, member);
    if (forbidden) return forbidden;
    const intention = { client_event_id, actor, meaning: ["add member", given] };
    return this.transact((tx) =>
      withIdempotencyKey(tx, org_id, intention, async () =>
        (await addMember(tx, org_id, member)) ? member : taken("member", id),
      ),
    );
  }

  async changeMember(
    { org_id, actor }: Caller,
    id: string,
    change: MemberChange,
    { client_event_id = null }: Key = {},
  ): Promise<IdempotentResult<Member> | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isStorable(id)) return noMember(id);
    const intention = { client_event_id, actor, meaning: ["change member", id, change] };
    const done = await this.transact((tx) =>
      withIdempotencyKey<Member>(tx, org_id, intention, async () => {
        const { member, admins } = await lockMember(tx, org_id, id);
        if (!member) return noMember(id);
        const changed = { ...member, ...change };
        const beyond = reachRefusal(actor, member) ?? reachRefusal(actor, changed);
        if (beyond) return beyond;
        if (admins.every((admin) => admin.id === id) && isFullAdmin(member) && !isFullAdmin(changed))
          return lastAdmin(id);
        await changeMember(tx, org_id, changed);
        // Sessions and links from before the deactivation stay refused.
        if (!member.active && changed.active) {
          await deleteLoginCodes(tx, org_id, id);
          await endSessionsOf(tx, org_id, id);
        }
        return changed;
      }),
    );
    // A repeated answer may name projects that the caller can no longer see.
    return isRefusal(done) ? done : { ...done, answer: shownTo(actor, done.answer) };
  }

  /** Issues a token for a member, which is returned only once. */
  issueToken(...sent: Parameters<AccessTokens["issueToken"]>) {
    return this.accessTokens.issueToken(...sent);
  }

  /** Issues a token limited to `confined_to`. The caller of this method must check that the actor may issue it. */
  issueConfinedToken(...sent: Parameters<AccessTokens["issueConfinedToken"]>) {
    return this.accessTokens.issueConfinedToken(...sent);
  }

  async projects(
    { org_id, actor }: Caller,
    { cursor = null, limit = DEFAULT_PAGE_SIZE }: Page = {},
  ): Promise<{ projects: Project[]; cursor: string | null }> {
    const among = actor.project_ids;
    const rows = await this.transact((tx) => listProjects(tx, org_id, { cursor, among, limit: limit + 1 }));
    const projects = rows.slice(0, limit);
    return { projects, cursor: rows.length > limit ? (projects.at(-1)?.id ?? null) : null };
  }

  async project({ org_id, actor }: Caller, id: string): Promise<Project | Refusal> {
    if (!isStorable(id)) return noProject(id);
    const among = visibleProjects(actor, id);
    const [project] = await this.transact((tx) =>
      listProjects(tx, org_id, { cursor: null, among, limit: 1 }),
    );
    return project ?? noProject(id);
  }

  async addProject(
    { org_id, actor }: Caller,
    given: { id?: string | undefined; name?: string | undefined; settings?: JsonObject | undefined },
    { client_event_id = null }: Key = {},
  ): Promise<IdempotentResult<Project> | Refusal> {
    const { id = uuidv7() } = given;
    const forbidden = adminRefusal(actor) ?? reachRefusal(actor, { project_ids: null });
    if (forbidden) return forbidden;
    const checked = changedSettings(this.lifecycles, {}, given.settings ?? {});
    if (isRefusal(checked)) return checked;
    const project = { id, name: given.name ?? id, settings: checked.settings };
    const intention = { client_event_id, actor, meaning: ["add project", given] };
    return this.transact((tx) =>
      withIdempotencyKey(
        tx,
        org_id,
        intention,
        async () => (await addProject(tx, org_id, project)) ?? taken("project", id),
      ),
    );
  }

  async changeProject(
    { org_id, actor }: Caller,
    id: string,
    change: { name?: string | undefined; settings?: JsonObject | undefined },
    { client_event_id = null }: Key = {},
  ): Promise<IdempotentResult<Project> | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    return this.saveProject({ org_id, actor }, id, change, client_event_id);
  }

  /** Changes a lifecycle's settings of a project. The lifecycle must check who may do this. */
  changeSettings(
    caller: Caller,
    id: string,
    { lifecycle, settings }: { lifecycle: string; settings: JsonObject },
    { client_event_id = null }: Key = {},
  ): Promise<IdempotentResult<Project> | Refusal> {
    return this.saveProject(caller, id, { settings: { [lifecycle]: settings } }, client_event_id);
  }

  private async saveProject(
    { org_id, actor }: Caller,
    id: string,
    change: { name?: string | undefined; settings?: JsonObject | undefined },
    client_event_id: string | null,
  ): Promise<IdempotentResult<Project> | Refusal> {
    if (!isStorable(id)) return noProject(id);
    const intention = { client_event_id, actor, meaning: ["change project", id, change] };
    return this.transact((tx) =>
      withIdempotencyKey(tx, org_id, intention, async () => {
        const project = visibleProjects(actor, id)?.length === 0 ? null : await lockProject(tx, org_id, id);
        if (!project) return noProject(id);
        const checked = changedSettings(this.lifecycles, project.settings, change.settings ?? {});
        if (isRefusal(checked)) return checked;
        const changed = { ...project, name: change.name ?? project.name, settings: checked.settings };
        await changeProject(tx, org_id, changed);
        return changed;
      }),
    );
  }

  private async transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transact(this.sql, this.timeouts, work);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      throw new PawlError("VALIDATION_ERROR", refusalOfData(error).detail, { errors: [] }, { cause: error });
    }
  }
}

const NEW_MEMBER = {
  kind: "human",
  roles: [],
  project_ids: null,
  skill_level: null,
  specializations: [],
  active: true,
} as const satisfies Partial<Member>;

/** Removes projects that the reader may not see. null means every project and names none. */
function shownTo({ project_ids: own }: Actor, member: Member): Member {
  if (own === null || member.project_ids === null) return member;
  return { ...member, project_ids: member.project_ids.filter((id) => own.includes(id)) };
}
