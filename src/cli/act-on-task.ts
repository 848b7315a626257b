import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import type { JsonObject } from "../core/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import { findTaskId, shortId } from "./find-task.ts";
import { isWatched, print } from "./print.ts";
import { readFields } from "./read-fields.ts";
import type { ReachFlags, Surroundings } from "./surroundings.ts";
import { moveText } from "./task-table.ts";

type Acting = ReachFlags & {
  id: string;
  action: string;
  fields: string[];
  comment?: string;
  expect?: number;
  lease?: string;
  key?: string;
  json?: true;
};

/** `pawl tasks act <id> <action> [field=value…]` */
export async function actOnTask(surroundings: Surroundings, acting: Acting): Promise<ExitCode> {
  const { out } = surroundings;
  const { action, fields, comment, expect, lease, key, json } = acting;
  let whole = acting.id;
  const moved = await atServer(surroundings, acting, async ({ client }) => {
    const id = (whole = await findTaskId(client, acting.id));
    return client.moveTask({
      id,
      action,
      ...(fields.length === 0 ? {} : { payload: await readPayload(client, id, acting) }),
      comment,
      expected_row_version: expect,
      lease_token: lease,
      client_event_id: key,
    });
  }).catch((error: unknown) => {
    throw withHint(
      error,
      `\`pawl why ${isWatched(out) ? shortId(whole) : whole} ${action}\` tells every reason.`,
    );
  });
  const { bold, cyan } = out.colours;
  const { task, event, outcome, lease_token, lease_until } = moved;
  const id = cyan(isWatched(out) ? shortId(task.id) : task.id);
  const became = event ? moveText(event) : task.status;
  const quiet = outcome === "moved" ? "" : ` (${outcome}: nothing to tell)`;
  const leased = lease_token === null ? "" : `\nlease ${lease_token} until ${lease_until ?? ""}`;
  return print(out, {
    json,
    value: moved,
    text: () => `${id} ${action}: ${bold(became)}${quiet}  ${oneLine(task.title)}${leased}`,
  });
}

async function readPayload(client: Client, id: string, { action, fields }: Acting): Promise<JsonObject> {
  const { actions } = await client.explainTask({ id });
  const known = actions.find((one) => one.action === action);
  if (!known)
    throw unknownName(
      "There is no action",
      action,
      actions.map((one) => one.action),
    );
  return readFields(fields, known.input, `"${action}"`);
}

/** What the API says of a field is said of an option; and a "no" of the rules may have more reasons than the first. */
function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof Fault) || !(error.cause instanceof PawlProblem)) return error;
  const { exitCode, message, document, cause } = error;
  const { code, status } = error.cause;
  const option = OPTIONS[code];
  if (option !== undefined) return new Fault(exitCode, message, { more: [option], document, cause });
  if (status !== 403 && status !== 409) return error;
  return new Fault(exitCode, message, { more: [...error.more, hint], document, cause });
}

const OPTIONS: Readonly<Record<string, string>> = {
  COMMENT_REQUIRED: "Say why with --comment.",
  LEASE_TOKEN_REQUIRED: "Give the token that the claim printed with --lease.",
};
