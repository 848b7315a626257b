import { PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import type { JsonObject } from "../core/index.ts";
import { atServer, unknownName } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import { findTaskId, shortId } from "./find-task.ts";
import { isTty, print } from "./print.ts";
import { readFields } from "./read-fields.ts";
import type { ConnectFlags, CliEnvironment } from "./cli-environment.ts";
import { moveText } from "./task-table.ts";

type ActOptions = ConnectFlags & {
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
export async function actOnTask(environment: CliEnvironment, options: ActOptions): Promise<ExitCode> {
  const { out } = environment;
  const { action, fields, comment, expect, lease, key, json } = options;
  let fullId = options.id;
  const moved = await atServer(environment, options, async ({ client }) => {
    const id = (fullId = await findTaskId(client, options.id));
    return client.moveTask({
      id,
      action,
      ...(fields.length === 0 ? {} : { payload: await readPayload(client, id, options) }),
      comment,
      expected_row_version: expect,
      lease_token: lease,
      client_event_id: key,
    });
  }).catch((error: unknown) => {
    throw withHint(
      error,
      `\`pawl why ${isTty(out) ? shortId(fullId) : fullId} ${action}\` shows every reason.`,
    );
  });
  const { bold, cyan } = out.colours;
  const { task, event, outcome, lease_token, lease_until } = moved;
  const id = cyan(isTty(out) ? shortId(task.id) : task.id);
  const status = event ? moveText(event) : task.status;
  const unrecorded = outcome === "moved" ? "" : ` (${outcome}: no event recorded)`;
  const leased = lease_token === null ? "" : `\nlease ${lease_token} until ${lease_until ?? ""}`;
  return print(out, {
    json,
    value: moved,
    text: () => `${id} ${action}: ${bold(status)}${unrecorded}  ${oneLine(task.title)}${leased}`,
  });
}

async function readPayload(client: Client, id: string, { action, fields }: ActOptions): Promise<JsonObject> {
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

/** Adds a hint to a refusal: the option for a missing field, or where to find the reasons beyond the first. */
function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof CliError) || !(error.cause instanceof PawlProblem)) return error;
  const { exitCode, message, document, cause } = error;
  const { code, status } = error.cause;
  const option = OPTIONS[code];
  if (option !== undefined) return new CliError(exitCode, message, { hints: [option], document, cause });
  if (status !== 403 && status !== 409) return error;
  return new CliError(exitCode, message, { hints: [...error.hints, hint], document, cause });
}

const OPTIONS: Readonly<Record<string, string>> = {
  COMMENT_REQUIRED: "Give the reason with --comment.",
  LEASE_TOKEN_REQUIRED: "Pass the lease token that the claim printed, with --lease.",
};
