import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { shortId } from "./find-task.ts";
import { isWatched, print } from "./print.ts";
import { readFields } from "./read-fields.ts";
import type { ReachFlags, Surroundings } from "./surroundings.ts";

type Creating = ReachFlags & {
  lifecycle: string;
  fields: string[];
  project?: string;
  availableAt?: string;
  key?: string;
  json?: true;
};

/** `pawl tasks create <lifecycle> [field=value…]` */
export function createTask(surroundings: Surroundings, creating: Creating): Promise<ExitCode> {
  const { out } = surroundings;
  return atServer(surroundings, creating, async ({ client }) => {
    const { lifecycle, project, availableAt, key, json } = creating;
    const { creation } = await describe(client, lifecycle);
    const task = await client.createTask({
      ...readFields(creating.fields, creation.input, `A new ${lifecycle} task`),
      lifecycle,
      project_id: project,
      available_at: availableAt,
      client_event_id: key,
    });
    const { cyan, bold } = out.colours;
    const id = isWatched(out) ? shortId(task.id) : task.id;
    return print(out, {
      json,
      value: task,
      text: () => `Created ${cyan(id)} in ${bold(task.status)}: ${oneLine(task.title)}`,
    });
  });
}

/** A lifecycle as the server knows it, or the nearest right name. */
export async function describe(client: Client, name: string) {
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
