import type { Client } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";

/** What tells tasks that are under way from those that are over. */
export type Unfinished = {
  /** Of all lifecycles asked about; one may be final in another. */
  statuses: string[];
  has: (task: Pick<TaskOnWire, "lifecycle" | "status">) => boolean;
};

/** Asks the server which statuses are final, of one lifecycle or of all. */
export async function unfinishedOf(client: Client, lifecycle: string | undefined): Promise<Unfinished> {
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
