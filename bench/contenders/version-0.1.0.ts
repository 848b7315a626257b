import { pathToFileURL } from "node:url";
import type { Contender, ContenderOptions } from "../contender.ts";
import { queueWorkloads } from "./errand-queue.ts";
import type { ClaimedErrand, ErrandQueue, Key } from "./errand-queue.ts";

/** The calls of version 0.1.0, declared here because the current types may change. */
type By = { org_id: string; actor: unknown };
type Task = { id: string; row_version: number; data: { file: string } };
type Refusal = { kind: "refused"; detail: string };
type Performed = { kind: "performed"; task: Task } | Refusal;
type Pawl = {
  createMember: (member: { id: string; kind: "worker"; roles: string[] }) => Promise<void>;
  as: (member_id: string) => Promise<By>;
  create: (
    caller: By,
    tasks: readonly object[],
    options: { client_event_id: Key },
  ) => Promise<{ kind: "created"; tasks: Task[] } | Refusal>;
  claim: (
    caller: By,
    request: { lifecycle: string; limit: number; client_event_id: Key },
  ) => Promise<{ kind: "claimed"; tasks: { task: Task; lease_token: string | null }[] } | Refusal>;
  perform: (caller: By, request: object) => Promise<Performed>;
  performMany: (caller: By, requests: readonly object[]) => Promise<Performed[]>;
  close: () => Promise<void>;
};
type Opened = { openPawl: (options: object) => Promise<Pawl> };

/** Opens Pawl 0.1.0 from its own build, with the lifecycle of its own benchmark. */
export async function open({ url, build = "" }: ContenderOptions): Promise<Contender> {
  const load = (path: string) => import(pathToFileURL(`${build}/${path}`).href);
  const { openPawl } = (await load("src/index.js")) as Opened;
  const { errand } = (await load("bench/contenders/pawl/errand.js")) as { errand: { name: string } };
  const pawl = await openPawl({ url, lifecycles: [errand], sweepSeconds: 0, reconcileSeconds: 0 });
  await pawl.createMember({ id: "ann", kind: "worker", roles: ["worker"] });
  const queue = queueOf(pawl, await pawl.as("ann"), errand.name);
  return { workloads: queueWorkloads(queue), close: () => pawl.close() };
}

function queueOf(pawl: Pawl, caller: By, lifecycle: string): ErrandQueue {
  const finishing = ({ id, lease_token }: ClaimedErrand, key: Key) => ({
    task_id: id,
    action: "finish",
    payload: { result: "sent" },
    lease_token,
    client_event_id: key,
  });
  return {
    create: async (files, client_event_id) => {
      const tasks = files.map((file) => ({ lifecycle, file }));
      return accepted(await pawl.create(caller, tasks, { client_event_id })).tasks.map(({ id }) => id);
    },
    claim: async (limit, client_event_id) =>
      accepted(await pawl.claim(caller, { lifecycle, limit, client_event_id })).tasks.map(
        ({ task: { id, data }, lease_token }) => ({ id, lease_token, file: data.file }),
      ),
    finish: async (errand, key) => accepted(await pawl.perform(caller, finishing(errand, key))),
    finishMany: async (errands, newKey) =>
      (
        await pawl.performMany(
          caller,
          errands.map((errand) => finishing(errand, newKey())),
        )
      ).map(accepted),
    move: async (task_id, action, expected_row_version, client_event_id) => {
      const request = { task_id, action, expected_row_version, client_event_id };
      return accepted(await pawl.perform(caller, request)).task.row_version;
    },
  };
}

function accepted<Answer extends { kind: string }>(answer: Answer | Refusal): Exclude<Answer, Refusal> {
  if (answer.kind === "refused") throw new Error((answer as Refusal).detail);
  return answer as Exclude<Answer, Refusal>;
}
