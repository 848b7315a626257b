import type { BodySent, ReplyOf, ROUTES } from "../api/index.ts";
import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { atServer } from "./at-server.ts";
import { CliError } from "./cli-error.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { fetchAllPages } from "./paginate.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { isTty, print } from "./print.ts";
import type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";
import { relativeTime } from "./format-time.ts";
import { isUuid } from "../std/uuid.ts";

type Member = ReplyOf<typeof ROUTES.getMember>;

export type MemberFlags = {
  name?: string;
  kind?: Member["kind"];
  roles?: string[];
  projects?: string[];
  skillLevel?: number;
  specializations?: string[];
  active?: boolean;
};

type CommonFlags = ConnectFlags & { json?: true };

/** `pawl members list` */
export function listMembers(environment: CliEnvironment, { json, ...flags }: CommonFlags): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const members = await allMembers(client);
    return print(out, { json, value: { members }, text: () => memberTable(members, out) });
  });
}

function allMembers(client: Client): Promise<Member[]> {
  return fetchAllPages(async (cursor) => {
    const page = await client.listMembers({ cursor, limit: 200 });
    return { rows: page.members, cursor: page.cursor };
  });
}

/** `pawl members add <id>` */
export function addMember(
  environment: CliEnvironment,
  { id, json, ...flags }: CommonFlags & MemberFlags & { id: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const member = await client.createMember({ id, ...fieldsOf(flags) });
    return print(environment.out, {
      json,
      value: member,
      text: () =>
        `${memberTable([member], environment.out)}\n\n\`pawl tokens create ${member.id}\` creates a token.`,
    });
  });
}

/** `pawl members change <id>` */
export function changeMember(
  environment: CliEnvironment,
  { id, json, ...flags }: CommonFlags & MemberFlags & { id: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const member = await client.changeMember({ id, ...fieldsOf(flags) });
    return print(environment.out, {
      json,
      value: member,
      text: () => memberTable([member], environment.out),
    });
  });
}

/** `pawl tokens list [member]` */
export function listTokens(
  environment: CliEnvironment,
  { member, all = false, json, ...flags }: CommonFlags & { member?: string; all?: boolean },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const members =
      member === undefined ? await allMembers(client) : [await client.getMember({ id: member })];
    const tokens: ListedToken[] = [];
    for (const { id, active } of members) {
      const listed = await client.listTokens({ id, all }).catch((error: unknown) => {
        // An admin of some projects sees only the tokens of members within them.
        if (member === undefined && error instanceof PawlProblem && error.status === 403)
          return { tokens: [] };
        throw error;
      });
      tokens.push(...listed.tokens.map((token) => ({ member: id, member_active: active, ...token })));
    }
    const text = () => (tokens.length === 0 ? "No tokens found." : tokenTable(tokens, environment));
    return print(environment.out, { json, value: { tokens }, text });
  });
}

type ListedToken = ReplyOf<typeof ROUTES.listTokens>["tokens"][number] & {
  member: string;
  member_active: boolean;
};

function tokenTable(tokens: readonly ListedToken[], { out, now }: CliEnvironment): string {
  const { cyan, green, red } = out.colours;
  const time = (moment: string | null) => (isTty(out) ? relativeTime(now(), moment) : (moment ?? ""));
  const columns: Column<ListedToken>[] = [
    // Not shortened: `pawl tokens revoke` needs the whole id.
    { head: "id", of: ({ id }) => id, paint: cyan },
    { head: "member", of: ({ member }) => member, cutTo: 8 },
    { head: "name", of: ({ name }) => name ?? "", cutTo: 8 },
    {
      head: "state",
      of: stateOf,
      paint: (text, token) => (stateOf(token) === "valid" ? green(text) : red(text)),
    },
    { head: "created", of: ({ created_at }) => time(created_at) },
    { head: "used", of: ({ last_used_at }) => time(last_used_at) },
    { head: "expires", of: ({ expires_at }) => time(expires_at) },
    { head: "by", of: ({ created_by }) => created_by ?? "", cutTo: 6, spare: 2 },
    {
      head: "only for",
      of: ({ confined_to }) => (confined_to === null ? "" : JSON.stringify(confined_to)),
      cutTo: 8,
      spare: 1,
    },
  ];
  return listTable(columns, tokens, out);
}

/** The tokens of a deactivated member are refused. */
function stateOf({ state, member_active }: ListedToken): string {
  return state === "valid" && !member_active ? "inactive" : state;
}

/** `pawl tokens create <member>` */
export function createToken(
  environment: CliEnvironment,
  { member, name, days, json, ...flags }: CommonFlags & { member: string; name?: string; days?: number },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const issued = await client.createToken({ id: member, name, expires_in_days: days });
    const text = () =>
      `A token for ${member}, shown only now; \`pawl tokens revoke ${issued.id}\` revokes it:\n${issued.token}`;
    return print(environment.out, { json, value: { member, ...issued }, text });
  });
}

/** `pawl tokens rotate <id>` */
export function rotateToken(
  environment: CliEnvironment,
  { id, overlapHours, json, ...flags }: CommonFlags & { id: string; overlapHours?: number },
): Promise<ExitCode> {
  refuseOtherId(id);
  return atServer(environment, flags, async ({ client }) => {
    const issued = await client.rotateToken({ id, overlap_hours: overlapHours });
    const text = () =>
      `The new token ${issued.id}, shown only now; the old one expires after the overlap:\n${issued.token}`;
    return print(environment.out, { json, value: { replaces: id, ...issued }, text });
  });
}

/** `pawl tokens revoke <id>` */
export function revokeToken(
  environment: CliEnvironment,
  { id, json, ...flags }: CommonFlags & { id: string },
): Promise<ExitCode> {
  refuseOtherId(id);
  return atServer(environment, flags, async ({ client }) => {
    await client.revokeToken({ id });
    const text = () => `Revoked the token ${id}.`;
    return print(environment.out, { json, value: { id, revoked: true }, text });
  });
}

function refuseOtherId(id: string): void {
  if (isUuid(id)) return;
  throw new CliError(EXIT.usage, `"${oneLine(id)}" is not the id of a token.`, {
    hints: ["`pawl tokens list` shows the ids. The token itself is not an id."],
  });
}

/** `--projects all` includes future projects. */
function fieldsOf(flags: MemberFlags): BodySent<typeof ROUTES.changeMember> {
  const { name, kind, roles, projects, skillLevel, specializations, active } = flags;
  return {
    name,
    kind,
    roles,
    ...(projects ? { project_ids: projects.join() === "all" ? null : projects } : {}),
    skill_level: skillLevel,
    specializations,
    active,
  };
}

function memberTable(members: readonly Member[], out: Screen): string {
  const { cyan, green, red } = out.colours;
  const columns: Column<Member>[] = [
    { head: "id", of: ({ id }) => id, paint: cyan, cutTo: 24 },
    { head: "name", of: ({ name }) => name, cutTo: 8 },
    { head: "kind", of: ({ kind }) => kind },
    { head: "roles", of: ({ roles }) => roles.join(", "), cutTo: 10 },
    { head: "projects", of: ({ project_ids }) => project_ids?.join(", ") ?? "all", cutTo: 8 },
    {
      head: "skill",
      of: ({ skill_level }) => (skill_level === null ? "" : String(skill_level)),
      right: true,
    },
    { head: "specializations", of: ({ specializations }) => specializations.join(", "), cutTo: 8 },
    {
      head: "active",
      of: ({ active }) => (active ? "yes" : "no"),
      paint: (text, { active }) => (active ? green(text) : red(text)),
    },
  ];
  return listTable(columns, members, out);
}
