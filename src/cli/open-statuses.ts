import type { Client } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";

/** Distinguishes open tasks from finished ones. */
export type OpenStatuses = {
  /** Open statuses of all requested lifecycles; a name may be a final status in another lifecycle. */
  statuses: string[];
  has: (task: Pick<TaskOnWire, "lifecycle" | "status">) => boolean;
};

/** Reads from the server which statuses of a lifecycle, or of all lifecycles, are open. */
export async function loadOpenStatuses(client: Client, lifecycle: string | undefined): Promise<OpenStatuses> {
  const names =
    lifecycle === undefined
      ? (await client.listLifecycles()).lifecycles.map(({ name }) => name)
      : [lifecycle];
  const described = await Promise.all(names.map((name) => client.describeLifecycle({ name })));
  const open = new Set(
    described.flatMap(({ name, statuses }) =>
      statuses.filter(({ final }) => !final).map((status) => `${name} ${status.name}`),
    ),
  );
  return {
    statuses: [...new Set([...open].map((key) => key.slice(key.indexOf(" ") + 1)))],
    has: (task) => open.has(`${task.lifecycle} ${task.status}`),
  };
}
