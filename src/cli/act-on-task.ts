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
import { saveShownVersions } from "./shown-versions.ts";
import { moveText } from "./task-table.ts";

type ActOptions = ConnectFlags & {
  id: string;
  action: string;
  fields: string[];
  comment?: string;
  /** The version to act on, or `any`; by default the one that the terminal has shown. */
  expect?: number | "any";
  lease?: string;
  key?: string;
  json?: true;
};

/** `pawl tasks act <id> <action> [field=value…]` */
export async function actOnTask(environment: CliEnvironment, options: ActOptions): Promise<ExitCode> {
  const { out, shownVersions } = environment;
  const { action, fields, comment, expect, lease, key, json } = options;
  let fullId = options.id;
  const moved = await atServer(environment, options, async ({ client, target }) => {
    const id = (fullId = await findTaskId(client, options.id));
    const request = {
      id,
      action,
      ...(fields.length === 0 ? {} : { payload: await readPayload(client, id, options) }),
      comment,
      lease_token: lease,
      client_event_id: key,
    };
    const shown = expect === undefined && isTty(out) ? await shownVersions.find(target.url, id) : null;
    const answer = await moveVersion(client, request, typeof expect === "number" ? expect : shown);
    await saveShownVersions(environment, target, { tasks: [answer.task], json });
    return answer;
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

type MoveRequest = Parameters<Client["moveTask"]>[0];

/** Performs an action on a version, or on any. An action that requires a version is then performed on the current one. */
async function moveVersion(client: Client, request: MoveRequest, version: number | null) {
  if (version !== null) return client.moveTask({ ...request, expected_row_version: version });
  try {
    return await client.moveTask(request);
  } catch (error) {
    if (!needsVersion(error)) throw error;
    const { row_version } = await client.getTask({ id: request.id });
    return client.moveTask({ ...request, expected_row_version: row_version });
  }
}

function needsVersion(error: unknown): boolean {
  if (!(error instanceof PawlProblem) || error.code !== "VALIDATION_ERROR") return false;
  const errors = error.params.errors as { path: string; message: string }[] | undefined;
  return (
    errors?.some(({ path, message }) => path === "expected_row_version" && message === "required") ?? false
  );
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
  VERSION_CONFLICT: "Look at the task again with `pawl tasks show`, or act on any version with --expect any.",
  LEASE_TOKEN_REQUIRED: "Pass the lease token that the claim printed, with --lease.",
};
