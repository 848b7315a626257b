import type { ReplyOf, ROUTES } from "../api/index.ts";
import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { atServer } from "./at-server.ts";
import { CliError } from "./cli-error.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { fetchAllPages } from "./paginate.ts";
import { count, isTty, print } from "./print.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";
import { relativeTime } from "./format-time.ts";
import { isUuid } from "../std/uuid.ts";

type CommonFlags = ConnectFlags & { json?: true };
type InboxRequest = ReplyOf<typeof ROUTES.listInbox>["requests"][number];
type Retried = ReplyOf<typeof ROUTES.retryInboxRequest>;
type Binding = ReplyOf<typeof ROUTES.bindSqlRole>;

/** `pawl inbox list` */
export function listInbox(
  environment: CliEnvironment,
  { state, json, ...flags }: CommonFlags & { state?: "waiting" | "refused" },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const requests = await allRequests(client, state);
    const text = () => (requests.length === 0 ? "No requests found." : requestTable(requests, environment));
    return print(environment.out, { json, value: { requests }, text });
  });
}

function allRequests(client: Client, state?: "waiting" | "refused"): Promise<InboxRequest[]> {
  return fetchAllPages(async (cursor) => {
    const page = await client.listInbox({ state, cursor, limit: 200 });
    return { rows: page.requests, cursor: page.cursor };
  });
}

/** `pawl inbox retry [ids…]`; fails if any of the requests is refused again. */
export function retryRequests(
  environment: CliEnvironment,
  { ids, all = false, json, ...flags }: CommonFlags & { ids: string[]; all?: boolean },
): Promise<ExitCode> {
  checkIds(ids);
  if (all === ids.length > 0)
    throw new CliError(EXIT.usage, "Give the ids of requests, or --all for every refused one.", {
      hints: ["`pawl inbox list` shows the ids."],
    });
  return atServer(environment, flags, async ({ client }) => {
    const chosen = all ? (await allRequests(client, "refused")).map(({ id }) => id) : ids;
    const results: (Retried & { id: string })[] = [];
    for (const id of chosen) {
      const retried = await client.retryInboxRequest({ id }).catch((error: unknown) => {
        // Discarded meanwhile; only an id that the user has given must exist.
        if (all && error instanceof PawlProblem && error.status === 404) return null;
        throw error;
      });
      if (retried) results.push({ id, ...retried });
    }
    const text = () =>
      results.length === 0 ? "No refused requests." : results.map(describeRetry).join("\n");
    print(environment.out, { json, value: { results }, text });
    return results.some(({ outcome }) => outcome === "refused") ? EXIT.refused : EXIT.fine;
  });
}

function describeRetry({ id, outcome, task_id, request }: Retried & { id: string }): string {
  if (outcome === "created") return `${id}  created${task_id === null ? "" : ` task ${task_id}`}`;
  if (outcome === "waiting") return `${id}  waits for another attempt`;
  return `${id}  refused: ${refusalText(request?.refusal ?? null)}`;
}

/** `pawl inbox discard <ids…>` */
export function discardRequests(
  environment: CliEnvironment,
  { ids, json, ...flags }: CommonFlags & { ids: string[] },
): Promise<ExitCode> {
  checkIds(ids);
  return atServer(environment, flags, async ({ client }) => {
    for (const id of ids) await client.discardInboxRequest({ id });
    const text = () => `Discarded ${count(ids.length, "request")}.`;
    return print(environment.out, { json, value: { discarded: ids }, text });
  });
}

function checkIds(ids: readonly string[]): void {
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined)
    throw new CliError(EXIT.usage, `"${oneLine(wrong)}" is not the id of a request.`, {
      hints: ["`pawl inbox list` shows the ids."],
    });
}

/** `pawl inbox bindings` */
export function listBindings(
  environment: CliEnvironment,
  { json, ...flags }: CommonFlags,
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const { bindings } = await client.listSqlBindings();
    const text = () =>
      bindings.length === 0 ? "No SQL role is bound to a member." : bindingTable(bindings, environment);
    return print(environment.out, { json, value: { bindings }, text });
  });
}

/** `pawl inbox bind <role> <member>` */
export function bindRole(
  environment: CliEnvironment,
  { role, member, json, ...flags }: CommonFlags & { role: string; member: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const binding = await client.bindSqlRole({ role, member_id: member });
    const text = () =>
      [
        `The SQL role ${role} may create tasks as ${member}.`,
        "It also needs these privileges; the owner of the schema grants them once:",
        `  grant usage on schema pawl to ${quoted(role)};`,
        `  grant execute on function pawl.enqueue to ${quoted(role)};`,
      ].join("\n");
    return print(environment.out, { json, value: binding, text });
  });
}

/** Quotes the name of a role if SQL needs it. */
function quoted(role: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(role) ? role : `"${role.replaceAll('"', '""')}"`;
}

/** `pawl inbox unbind <role> <member>` */
export function unbindRole(
  environment: CliEnvironment,
  { role, member, json, ...flags }: CommonFlags & { role: string; member: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    await client.unbindSqlRole({ role, member_id: member });
    const text = () => `The SQL role ${role} may no longer create tasks as ${member}.`;
    return print(environment.out, { json, value: { role, member_id: member, unbound: true }, text });
  });
}

function requestTable(requests: readonly InboxRequest[], { out, now }: CliEnvironment): string {
  const { cyan, red } = out.colours;
  const columns: Column<InboxRequest>[] = [
    // Not shortened: `pawl inbox retry` needs the whole id.
    { head: "id", of: ({ id }) => id, paint: cyan },
    {
      head: "state",
      of: ({ state }) => state,
      paint: (text, { state }) => (state === "refused" ? red(text) : text),
    },
    { head: "lifecycle", of: ({ lifecycle }) => lifecycle, cutTo: 9 },
    { head: "key", of: ({ key, id }) => (key === id ? "" : key), cutTo: 8, spare: 2 },
    { head: "member", of: ({ member_id }) => member_id, cutTo: 8 },
    {
      head: "created",
      of: ({ created_at }) => (isTty(out) ? relativeTime(now(), created_at) : created_at),
    },
    { head: "reason", of: reasonOf, cutTo: 20, spare: 1 },
  ];
  return listTable(columns, requests, out);
}

function reasonOf({ refusal, attempts }: InboxRequest): string {
  if (refusal) return refusalText(refusal);
  return attempts === 0 ? "" : `${count(attempts, "attempt")} failed, see the server log`;
}

function refusalText(refusal: InboxRequest["refusal"]): string {
  return refusal === null ? "" : oneLine(`${refusal.code}: ${refusal.detail}`);
}

function bindingTable(bindings: readonly Binding[], { out, now }: CliEnvironment): string {
  const columns: Column<Binding>[] = [
    { head: "role", of: ({ role }) => role, paint: out.colours.cyan, cutTo: 12 },
    { head: "member", of: ({ member_id }) => member_id, cutTo: 12 },
    {
      head: "created",
      of: ({ created_at }) => (isTty(out) ? relativeTime(now(), created_at) : created_at),
    },
    { head: "by", of: ({ created_by }) => created_by ?? "", cutTo: 6 },
  ];
  return listTable(columns, bindings, out);
}
