import type { BodySent, ReplyOf, ROUTES } from "../api/index.ts";
import { atServer } from "./at-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { fetchAllPages } from "./paginate.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { print } from "./print.ts";
import type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";

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
    const members = await fetchAllPages(async (cursor) => {
      const page = await client.listMembers({ cursor, limit: 200 });
      return { rows: page.members, cursor: page.cursor };
    });
    return print(out, { json, value: { members }, text: () => memberTable(members, out) });
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

/** `pawl tokens create <member>` */
export function createToken(
  environment: CliEnvironment,
  { member, json, ...flags }: CommonFlags & { member: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const issued = await client.createToken({ id: member });
    const text = () =>
      `A token for ${member}, shown only now; \`pawl tokens revoke ${issued.id}\` revokes it:\n${issued.token}`;
    return print(environment.out, { json, value: { member, ...issued }, text });
  });
}

/** `pawl tokens revoke <id>` */
export function revokeToken(
  environment: CliEnvironment,
  { id, json, ...flags }: CommonFlags & { id: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    await client.revokeToken({ id });
    const text = () => `Revoked the token ${id}.`;
    return print(environment.out, { json, value: { id, revoked: true }, text });
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
