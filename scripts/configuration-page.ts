import { PLUGINS } from "../src/lifecycles/index.ts";
import { SETTINGS } from "../src/main/settings.ts";
import type { Setting } from "../src/plugin/index.ts";

const HEAD = `# Configuration

<!-- Generated from \`src/main/settings.ts\` by \`npm run generate\`: edit that, not this. -->

Nothing must be set: \`pawl start\` in an empty folder works. What is set is looked for in this order: a flag, the
environment, \`pawl.config.ts\`, the default. An unknown name or a wrong value stops the start with a sentence that says
which, and what was probably meant. An empty variable counts as none.

Settings marked with the name of a lifecycle are used by that lifecycle only. Other programs use some of the same variables, such as
\`STORAGE\`, so a wrong value in the environment does not stop the server: it is ignored, logged as a warning at the start, and
reported by \`pawl doctor\`. bot-actions then uses the default; \`pawl delivery bot\` and \`pawl delivery worker\` refuse to start and name the
wrong value.
`;

const TAIL = `
\`\`\`ts
// pawl.config.ts
import { defineConfig } from "pawl";

export default defineConfig({ port: 8080, sweepSeconds: 10, lifecycles: [] });
\`\`\`

Not settings, and only in the environment:

| variable | what it does |
| --- | --- |
| \`PAWL_ADMIN_TOKEN\` | the admin's token of the org \`main\`; without it one is made and written to \`<data>/admin-token\` (mode 0600) |
| \`PAWL_DEBUG\` | faults on the command line are told with their stack |
| \`PAWL_URL\`, \`PAWL_TOKEN\`, \`PAWL_TASK_ID\` | what clients and workers are told: which server, as whom, about which task |

What belongs to one project (deadlines, limits of a lifecycle) is no setting of the server's: it is set with
\`PATCH /api/projects/{id}\`, and each lifecycle's README lists its own.
`;

/** docs/configuration.md: every setting there is, from the one table that the server itself reads. */
export function configurationPage(): string {
  const rows = [
    ...rowsOf(SETTINGS, ""),
    ...PLUGINS.flatMap(({ lifecycle, settings }) => rowsOf(settings, `${lifecycle.name}: `)),
  ];
  const table = [
    "| in `pawl.config.ts` | flag, variable | default | what it is |",
    "| --- | --- | --- | --- |",
    ...rows,
  ];
  return `${HEAD}\n${table.join("\n")}\n${TAIL}`;
}

function rowsOf(settings: Readonly<Record<string, Setting>>, owner: string): string[] {
  return Object.entries(settings).map(([name, { env, flag, default: value, expected, description }]) => {
    const set = [...(flag === undefined ? [] : [`\`${flag}\``]), `\`${env}\``].join(", ");
    return `| \`${name}\` | ${set} | ${told(value)} | ${owner}${description}; ${expected} |`;
  });
}

function told(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
