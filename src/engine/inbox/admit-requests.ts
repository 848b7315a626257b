import { isRefusal, shorten } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { isUnavailable, isUnstorable, violationOf } from "../../postgres/index.ts";
import { refusalOfData, refusalOfViolation } from "../refusals.ts";
import { findMembers } from "../sql/members.ts";
import { pickChosen, putOffInInbox, refuseInInbox, removeFromInbox } from "../sql/pick-inbox.ts";
import type { InboxRequest } from "../sql/pick-inbox.ts";
import type { Write } from "../sql/statement.ts";
import type { Tx } from "../transaction.ts";
import { bisect } from "../write/bisect.ts";
import { CommandFailed, Retry } from "../write/command-queue.ts";
import { createLocked } from "../write/create.ts";
import type { CreateCommand } from "../write/create.ts";
import type { CreatedTasks } from "../write/creations.ts";
import { RowsBusy } from "../write/rows-busy.ts";
import type { UnitOfWork } from "../write/unit-of-work.ts";
import type { Writer } from "../write/writer.ts";
import { commandOfRequest } from "./command-of-request.ts";

/** The result of one request. `later`: it is tried again; `failure` is set if its attempt failed. */
export type Admission = { id: string; command?: CreateCommand } & (
  | { kind: "created"; answer: CreatedTasks }
  | { kind: "refused"; answer: Refusal }
  | { kind: "later"; failure?: unknown }
);

/** Delay for a request that names a blocker which another transaction has locked. */
const BUSY_DELAY_MS = 200;
const FIRST_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 300_000;
const MAX_FAILURE_LENGTH = 1_000;

/**
 * Creates the tasks of requests in one transaction, which also removes the requests: after a crash or a lost connection, each
 * is either there or done. A request that fails is found by bisection and put off alone.
 */
export async function admitRequests(
  writer: Writer,
  org_id: string,
  pick: (tx: Tx) => Promise<InboxRequest[]>,
): Promise<Admission[]> {
  let picked: InboxRequest[] = [];
  const admit = (pickSome: typeof pick) =>
    writer.unit(org_id, async (unit) => {
      picked = await pickSome(unit.tx);
      return picked.length === 0 ? [] : createTasks(unit, picked);
    });
  try {
    return await admit(pick);
  } catch (error) {
    // The database may be unreachable; if a single request is too much for it, others must not wait behind it.
    const [only, ...others] = picked;
    if (!only || (isUnavailable(error) && others.length > 0)) throw error;
    const requests = new Map(picked.map((request) => [request.id, request]));
    const keep = (id: string, reason: unknown) =>
      keepRequest(writer, org_id, requests.get(id) as InboxRequest, reason);
    if (isUnavailable(error)) return [await keep(only.id, error)];
    const admissions = await bisect<string, Admission[]>(
      picked.map(({ id }) => id),
      async (ids) => [await admit((tx) => pickChosen(tx, org_id, ids))],
      async (id, reason) => [await keep(id, reason)],
      (reason) => !isUnavailable(reason),
    );
    return admissions.flat();
  }
}

async function createTasks(unit: UnitOfWork, requests: readonly InboxRequest[]): Promise<Admission[]> {
  const { tx, org_id, registry } = unit;
  const ids = [...new Set(requests.map(({ member_id }) => member_id))];
  const members = new Map((await findMembers(tx, org_id, ids)).map((member) => [member.id, member]));
  const admissions: Admission[] = [];
  const commands: { id: string; command: CreateCommand }[] = [];
  const keys = new Set<string>();
  for (const request of requests) {
    const { id, key, member_id } = request;
    // The second request with a key gets the answer of the first, once that is committed.
    if (keys.has(key)) {
      admissions.push({ id, kind: "later" });
      continue;
    }
    const command = commandOfRequest(registry.lifecycles, request, members.get(member_id));
    if (isRefusal(command)) admissions.push({ id, kind: "refused", answer: command });
    else {
      keys.add(key);
      commands.push({ id, command });
    }
  }
  const attempts = commands.map(({ command }) => ({ command, uncertain: [] }));
  const outcomes = commands.length === 0 ? [] : await createLocked(unit, attempts);
  for (const [index, { id, command }] of commands.entries()) {
    const answer = outcomes[index];
    if (answer instanceof CommandFailed) throw answer.error;
    if (answer === undefined || answer instanceof Retry) admissions.push({ id, kind: "later" });
    else if (isRefusal(answer)) admissions.push({ id, kind: "refused", command, answer });
    else admissions.push({ id, kind: "created", command, answer });
  }
  const created = admissions.filter(({ kind }) => kind === "created").map(({ id }) => id);
  const refused = admissions.flatMap((one) => (one.kind === "refused" ? [storedRefusal(one)] : []));
  if (created.length > 0) unit.send(removeFromInbox(org_id, created));
  if (refused.length > 0) unit.send(refuseInInbox(org_id, refused));
  return admissions;
}

/** Keeps a request that failed alone: refused if its values are the reason, otherwise for a later attempt. */
async function keepRequest(
  writer: Writer,
  org_id: string,
  { id, attempts }: InboxRequest,
  reason: unknown,
): Promise<Admission> {
  const send = (write: Write) =>
    writer.unit(org_id, (unit) => {
      unit.send(write);
      return Promise.resolve();
    });
  if (reason instanceof RowsBusy) {
    await send(putOffInInbox(org_id, { id, delay: BUSY_DELAY_MS, attempts, failure: null }));
    return { id, kind: "later" };
  }
  const constraint = violationOf(reason);
  if (constraint !== null || isUnstorable(reason)) {
    const answer = constraint === null ? refusalOfData(reason) : refusalOfViolation(constraint);
    await send(refuseInInbox(org_id, [storedRefusal({ id, answer })]));
    return { id, kind: "refused", answer };
  }
  const delay = Math.min(FIRST_RETRY_DELAY_MS * 2 ** attempts, MAX_RETRY_DELAY_MS);
  const failure = shorten(String(reason).replaceAll("\0", ""), MAX_FAILURE_LENGTH);
  await send(putOffInInbox(org_id, { id, delay, attempts: attempts + 1, failure }));
  return { id, kind: "later", failure: reason };
}

function storedRefusal({ id, answer: { code, detail, params } }: { id: string; answer: Refusal }) {
  return { id, refusal: { code, detail, params } };
}
