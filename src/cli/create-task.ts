import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { shortId } from "./find-task.ts";
import { isTty, print } from "./print.ts";
import { readFields } from "./read-fields.ts";
import { saveShownVersions } from "./shown-versions.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";

type CreateOptions = ConnectFlags & {
  lifecycle: string;
  fields: string[];
  project?: string;
  availableAt?: string;
  key?: string;
  json?: true;
};

/** `pawl tasks create <lifecycle> [field=value…]` */
export function createTask(environment: CliEnvironment, options: CreateOptions): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, options, async ({ client, target }) => {
    const { lifecycle, project, availableAt, key, json } = options;
    const { creation } = await fetchLifecycle(client, lifecycle);
    const task = await client.createTask({
      ...readFields(options.fields, creation.input, `A new ${lifecycle} task`),
      lifecycle,
      project_id: project,
      available_at: availableAt,
      client_event_id: key,
    });
    await saveShownVersions(environment, target, { tasks: [task], json });
    const { cyan, bold } = out.colours;
    const id = isTty(out) ? shortId(task.id) : task.id;
    return print(out, {
      json,
      value: task,
      text: () => `Created ${cyan(id)} in ${bold(task.status)}: ${oneLine(task.title)}`,
    });
  });
}

/** Fetches a lifecycle's description; for an unknown name the error suggests the nearest one. */
export async function fetchLifecycle(client: Client, name: string) {
  try {
    return await client.describeLifecycle({ name });
  } catch (error) {
    if (!(error instanceof PawlProblem) || error.code !== "NOT_FOUND") throw error;
    const { lifecycles } = await client.listLifecycles();
    throw unknownName(
      "There is no lifecycle",
      name,
      lifecycles.map((one) => one.name),
    );
  }
}
