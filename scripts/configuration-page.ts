import { PLUGINS } from "../src/lifecycles/index.ts";
import { SETTINGS } from "../src/main/settings.ts";
import type { Setting } from "../src/plugin/index.ts";

const HEAD = `# Configuration

<!-- Generated from \`src/main/settings.ts\` by \`npm run generate\`: edit that, not this. -->

All settings are optional: \`pawl start\` in an empty folder works. A value is looked up in this order: flag, environment variable,
\`pawl.config.ts\`, default. With an unknown name or an invalid value Pawl does not start; the error names the setting and suggests a
correction. An empty variable counts as not set.

Settings marked with the name of a lifecycle are used by that lifecycle only. Other programs use some of the same variables, such as
\`STORAGE\`, so an invalid value in the environment does not stop the server: it is ignored, logged as a warning at the start, and
reported by \`pawl doctor\`. bot-actions then uses the default; \`pawl delivery bot\` and \`pawl delivery worker\` refuse to start and name the
invalid value.
`;

const TAIL = `
\`\`\`ts
// pawl.config.ts
import { defineConfig } from "pawl";

export default defineConfig({ port: 8080, sweepSeconds: 10, lifecycles: [] });
\`\`\`

These are read from the environment only:

| variable | meaning |
| --- | --- |
| \`PAWL_ADMIN_TOKEN\` | the token of the admin of the org \`main\`; by default one is created and written to \`<data>/admin-token\` (mode 0600) |
| \`PAWL_DEBUG\` | if set, errors on the command line are shown with their stack trace |
| \`PAWL_URL\`, \`PAWL_TOKEN\`, \`PAWL_TASK_ID\` | for clients and workers: the address of the server, the token to use, the task to work on |

Settings of one project (deadlines and limits of a lifecycle) are not listed here: change them with
\`PATCH /api/projects/{id}\`. Each lifecycle's README lists its project settings.
`;

/** Generates docs/configuration.md from the tables of settings that the server reads. */
export function configurationPage(): string {
  const rows = [
    ...rowsOf(SETTINGS, ""),
    ...PLUGINS.flatMap(({ lifecycle, settings }) => rowsOf(settings, `${lifecycle.name}: `)),
  ];
  const table = [
    "| in `pawl.config.ts` | flag, variable | default | meaning |",
    "| --- | --- | --- | --- |",
    ...rows,
  ];
  return `${HEAD}\n${table.join("\n")}\n${TAIL}`;
}

function rowsOf(settings: Readonly<Record<string, Setting>>, owner: string): string[] {
  return Object.entries(settings).map(([name, { env, flag, default: value, expected, description }]) => {
    const sources = [...(flag === undefined ? [] : [`\`${flag}\``]), `\`${env}\``].join(", ");
    return `| \`${name}\` | ${sources} | ${formatDefault(value)} | ${owner}${description}; ${expected} |`;
  });
}

function formatDefault(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
