import type { ReplyOf, ROUTES } from "../api/index.ts";
import type { LifecycleDescription } from "../core/index.ts";
import { atServer } from "./at-server.ts";
import { fetchLifecycle } from "./create-task.ts";
import { rulesText } from "./draw-lifecycle.ts";
import type { ExitCode } from "./exit-code.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { print } from "./print.ts";
import { fieldsText } from "./read-fields.ts";
import type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";
import { wrap } from "./wrap.ts";

type Brief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];

/** `pawl lifecycles [name]`: those of the server, while `check` and `diagram` use those declared in this folder. */
export function showLifecycles(
  environment: CliEnvironment,
  { name, json, ...flags }: ConnectFlags & { name?: string; json?: true },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    if (name === undefined) {
      const answer = await client.listLifecycles();
      return print(out, { json, value: answer, text: () => lifecycleTable(answer.lifecycles, out) });
    }
    const description = await fetchLifecycle(client, name);
    return print(out, {
      json,
      value: description,
      // The API's schema has only a part of the description; here server and command line have the same version.
      text: () => lifecyclePage(description as unknown as LifecycleDescription, out),
    });
  });
}

function lifecycleTable(lifecycles: readonly Brief[], out: Screen): string {
  const columns: Column<Brief>[] = [
    { head: "name", of: ({ name }) => name, paint: out.colours.cyan },
    { head: "version", of: ({ version }) => String(version), right: true },
    { head: "statuses", of: ({ statuses }) => String(statuses.length), right: true },
    { head: "actions", of: ({ actions }) => String(actions.length), right: true },
    { head: "pool", of: ({ has_pool }) => (has_pool ? "yes" : "no") },
    { head: "summary", of: ({ summary }) => summary, cutTo: 12 },
  ];
  return listTable(columns, lifecycles, out);
}

function lifecyclePage(description: LifecycleDescription, out: Screen): string {
  const fields = wrap(fieldsText(description.creation.input), out.columns, 4);
  return `${rulesText(description, out)}\n\npawl tasks create ${description.name}\n    ${fields}`;
}
