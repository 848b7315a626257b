import { PLUGINS } from "../src/lifecycles/index.ts";
import { SETTINGS } from "../src/main/settings.ts";
import type { Setting } from "../src/plugin/index.ts";

const HEAD = `# Configuration

<!-- Generated from \`src/main/settings.ts\` by \`npm run generate\`: edit that, not this. -->

Every setting is optional: \`pawl start\` works in an empty folder. A value is taken from the first of these that has one: the
flag, the environment variable, \`pawl.config.ts\`, the default. An empty variable counts as unset. If a name is unknown or a value
is invalid, the server does not start, and the message names it and suggests the likely spelling.

Settings that begin with the name of a lifecycle are used by that lifecycle only. Other programs use some of the same variables, such
as \`PAWL_DELIVERY_STORAGE\`, so an invalid value in the environment does not stop the server: it is ignored, logged as a warning at the start, and
reported by \`pawl doctor\`. bot-actions then uses the default; \`pawl delivery bot\` and \`pawl delivery worker\` refuse to start and name
the invalid value.
`;

const TAIL = `
\`\`\`ts
// pawl.config.ts
import { defineConfig } from "pawl";

export default defineConfig({ port: 8080, sweepSeconds: 10, lifecycles: [] });
\`\`\`

These are not settings, and are read from the environment only:

| variable | meaning |
| --- | --- |
| \`PAWL_ADMIN_TOKEN\` | the admin token of the org \`main\`, at least 16 characters; without it, Pawl creates one and writes it to \`<data>/admin-token\` (mode 0600) |
| \`PAWL_DEBUG\` | the command line prints errors with their stack trace |
| \`PAWL_URL\`, \`PAWL_TOKEN\`, \`PAWL_TASK_ID\` | the server, token and task that clients and workers use |

Deadlines and limits of a lifecycle are set for each project, with \`PATCH /api/projects/{id}\`; the README of each lifecycle lists
them.
`;

/** Renders docs/configuration.md from the table of settings that the server reads. */
export function configurationPage(): string {
  const rows = [
    ...rowsOf(SETTINGS, ""),
    ...PLUGINS.flatMap(({ lifecycle, settings }) => rowsOf(settings, `${lifecycle.name}: `)),
  ];
  const table = [
    "| in `pawl.config.ts` | flag, variable | default | description; valid values |",
    "| --- | --- | --- | --- |",
    ...rows,
  ];
  return `${HEAD}\n${table.join("\n")}\n${TAIL}`;
}

function rowsOf(settings: Readonly<Record<string, Setting>>, owner: string): string[] {
  return Object.entries(settings).map(([name, { env, flag, default: value, expected, description }]) => {
    const set = [...(flag === undefined ? [] : [`\`${flag}\``]), `\`${env}\``].join(", ");
    return `| \`${name}\` | ${set} | ${formatDefault(value)} | ${owner}${description}; ${expected} |`;
  });
}

function formatDefault(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
