import type { ReplyOf, ROUTES } from "../api/index.ts";
import type { JsonObject } from "../core/index.ts";
import { atServer } from "./at-server.ts";
import { everyPage } from "./every-page.ts";
import type { ExitCode } from "./exit-code.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { isWatched, print } from "./print.ts";
import type { ReachFlags, Surroundings } from "./surroundings.ts";
import { seenFrom } from "./tell-time.ts";

type Project = ReplyOf<typeof ROUTES.getProject>;
type Asking = ReachFlags & { json?: true };

/** `pawl projects list` */
export function listProjects(surroundings: Surroundings, { json, ...flags }: Asking): Promise<ExitCode> {
  return atServer(surroundings, flags, async ({ client }) => {
    const projects = await everyPage(async (cursor) => {
      const page = await client.listProjects({ cursor, limit: 200 });
      return { rows: page.projects, cursor: page.cursor };
    });
    return print(surroundings.out, {
      json,
      value: { projects },
      text: () => projectTable(projects, surroundings),
    });
  });
}

/** `pawl projects add <id>` */
export function addProject(
  surroundings: Surroundings,
  { id, name, settings, json, ...flags }: Asking & { id: string; name?: string; settings?: JsonObject },
): Promise<ExitCode> {
  return atServer(surroundings, flags, async ({ client }) => {
    const project = await client.createProject({ id, name, settings });
    return print(surroundings.out, {
      json,
      value: project,
      text: () => projectTable([project], surroundings),
    });
  });
}

function projectTable(projects: readonly Project[], { out, now }: Surroundings): string {
  const columns: Column<Project>[] = [
    { head: "id", of: ({ id }) => id, paint: out.colours.cyan, cutTo: 12 },
    { head: "name", of: ({ name }) => name, cutTo: 12 },
    {
      head: "settings",
      of: ({ settings }) => (Object.keys(settings).length === 0 ? "" : JSON.stringify(settings)),
      cutTo: 12,
    },
    { head: "created", of: ({ created_at }) => (isWatched(out) ? seenFrom(now(), created_at) : created_at) },
  ];
  return listTable(columns, projects, out);
}
