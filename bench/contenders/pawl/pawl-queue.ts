import type { Caller, NewTask, Pawl, Refusal } from "../../../src/main/index.ts";
import type { ErrandQueue } from "../errand-queue.ts";
import { errand } from "./errand.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** The context of every workload: Pawl, a member of org `main`, and members of other orgs. */
export type Tools = {
  pawl: Pawl;
  caller: Caller;
  memberOf: (org_id: string) => Promise<Caller>;
  timed: Stopwatch;
};

export async function createErrands(
  pawl: Pawl,
  caller: Caller,
  count: number,
  more: (n: number) => Partial<NewTask> = () => ({}),
): Promise<string[]> {
  const created = await pawl.create(
    caller,
    Array.from({ length: count }, (_, n) => ({
      lifecycle: errand.name,
      file: `report-${n}.pdf`,
      ...more(n),
    })),
  );
  return accepted(created).tasks.map((task) => task.id);
}

/** Returns the errands of a member's org as a queue. */
export function queueOf(pawl: Pawl, caller: Caller): ErrandQueue {
  const finishing = (
    { id, lease_token }: { id: string; lease_token: string | null },
    key: string | null,
  ) => ({
    task_id: id,
    action: "finish",
    payload: { result: "sent" },
    lease_token,
    client_event_id: key,
  });
  return {
    create: async (files, client_event_id) => {
      const tasks = files.map((file) => ({ lifecycle: errand.name, file }));
      return accepted(await pawl.create(caller, tasks, { client_event_id })).tasks.map((task) => task.id);
    },
    claim: async (limit, client_event_id) => {
      const { tasks } = accepted(
        await pawl.claim(caller, { lifecycle: errand.name, limit, client_event_id }),
      );
      return tasks.map(({ id, lease_token, data }) => ({ id, lease_token, file: String(data.file) }));
    },
    finish: async (claimed, key) => accepted(await pawl.perform(caller, finishing(claimed, key))),
    finishMany: async (claimed, newKey) =>
      (
        await pawl.performMany(
          caller,
          claimed.map((one) => finishing(one, null)),
          { client_event_id: newKey() },
        )
      ).map(accepted),
    move: async (task_id, action, expected_row_version, client_event_id) => {
      const request = { task_id, action, expected_row_version, client_event_id };
      return accepted(await pawl.perform(caller, request)).task.row_version;
    },
  };
}

/** Throws on a refusal: a benchmark with refusals would measure the wrong thing. */
export function accepted<T extends { kind: string }>(answer: T | Refusal): T {
  if (answer.kind === "refused") throw new Error((answer as Refusal).detail);
  return answer as T;
}
