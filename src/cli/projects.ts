import type { ReplyOf, ROUTES } from "../api/index.ts";
import type { JsonObject } from "../core/index.ts";
import { atServer } from "./at-server.ts";
import { fetchAllPages } from "./paginate.ts";
import type { ExitCode } from "./exit-code.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { isTty, print } from "./print.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";
import { relativeTime } from "./format-time.ts";

type Project = ReplyOf<typeof ROUTES.getProject>;
type CommonFlags = ConnectFlags & { json?: true };

/** `pawl projects list` */
export function listProjects(
  environment: CliEnvironment,
  { json, ...flags }: CommonFlags,
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const projects = await fetchAllPages(async (cursor) => {
      const page = await client.listProjects({ cursor, limit: 200 });
      return { rows: page.projects, cursor: page.cursor };
    });
    return print(environment.out, {
      json,
      value: { projects },
      text: () => projectTable(projects, environment),
    });
  });
}

/** `pawl projects add <id>` */
export function addProject(
  environment: CliEnvironment,
  { id, name, settings, json, ...flags }: CommonFlags & { id: string; name?: string; settings?: JsonObject },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const project = await client.createProject({ id, name, settings });
    return print(environment.out, {
      json,
      value: project,
      text: () => projectTable([project], environment),
    });
  });
}

function projectTable(projects: readonly Project[], { out, now }: CliEnvironment): string {
  const columns: Column<Project>[] = [
    { head: "id", of: ({ id }) => id, paint: out.colours.cyan, cutTo: 12 },
    { head: "name", of: ({ name }) => name, cutTo: 12 },
    {
      head: "settings",
      of: ({ settings }) => (Object.keys(settings).length === 0 ? "" : JSON.stringify(settings)),
      cutTo: 12,
    },
    { head: "created", of: ({ created_at }) => (isTty(out) ? relativeTime(now(), created_at) : created_at) },
  ];
  return listTable(columns, projects, out);
}
