import { createClient, PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { didYouMean, hideCredentials, problemOf } from "../core/index.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import type { ConnectFlags, ServerTarget, CliEnvironment } from "./cli-environment.ts";

export type ConnectedServer = { client: Client; target: ServerTarget };

/** Few retries: at a terminal an early error is better than half a minute of waiting. */
const RETRY_OPTIONS = { retries: 2, timeoutMs: 30_000 };

/** Runs `work` with a client of the server. A failed call is thrown as a CliError that explains it in one sentence. */
export async function atServer<T>(
  { findServer, version }: Pick<CliEnvironment, "findServer" | "version">,
  { url, data }: ConnectFlags,
  work: (server: ConnectedServer) => Promise<T>,
): Promise<T> {
  const target = await findServer({
    ...(url === undefined ? {} : { url }),
    ...(data === undefined ? {} : { data }),
  });
  const client = clientOf(target);
  try {
    return await work({ client, target });
  } catch (error) {
    // The reply of a server of another version may have an unexpected shape.
    if (error instanceof PawlProblem) throw await cliErrorFor(error, target, client, version);
    if (error instanceof TypeError) throw (await versionMismatch(target, client, version, error)) ?? error;
    throw error;
  }
}

function clientOf({ url, urlFrom, token, tokenFrom }: ServerTarget): Client {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new CliError(
      EXIT.usage,
      `${urlFrom} is ${JSON.stringify(hideCredentials(url))}, not an address like http://127.0.0.1:4747.`,
    );
  if (new URL(url).username !== "" || new URL(url).password !== "")
    throw new CliError(EXIT.usage, `${urlFrom} must not contain a user name or a password.`, {
      hints: ["Remove them, and set PAWL_TOKEN instead."],
    });
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    throw new CliError(
      EXIT.token,
      `${tokenFrom ?? "The configuration"} does not contain a valid token: tokens have no spaces or line breaks.`,
    );
  return createClient({ url, token: token ?? undefined, ...RETRY_OPTIONS });
}

async function cliErrorFor(
  problem: PawlProblem,
  target: ServerTarget,
  client: Client,
  version: string,
): Promise<CliError> {
  const { code, status, detail, next, params } = problem;
  const document = { code, title: problemOf(code).title, detail, next, status, ...params };
  const cliError = (exitCode: CliError["exitCode"], sentence: string, ...hints: string[]) =>
    new CliError(exitCode, sentence, { hints, document, cause: problem });
  if (code === "UNAVAILABLE" && status === 0)
    return cliError(
      EXIT.server,
      `No server answers at ${target.url} (${target.urlFrom}${reasonIn(problem)}).`,
      "Start one with `pawl start`, or set PAWL_URL to the address of a running server.",
    );
  if (code === "UNAVAILABLE") return cliError(EXIT.server, detail, problemOf(code).next);
  if (status === 401) return cliError(EXIT.token, ...tokenErrorLines(problem, target));
  if (VERSION_MISMATCH_CODES.has(code)) {
    const other = await versionMismatch(target, client, version, problem);
    if (other) return other;
  }
  if (code === "UNEXPECTED_ANSWER" || (code === "NOT_FOUND" && (await isNotPawl(target, client))))
    return cliError(
      EXIT.server,
      `There is no Pawl server at ${target.url} (${target.urlFrom}), although something answers.`,
      "Use the address that `pawl start` prints, without a path.",
    );
  if (code === "VALIDATION_ERROR")
    return cliError(EXIT.usage, detail, ...errorLines(params, detail), "Correct the fields that are named.");
  // The generic next step is about the address of a request, which the command line has built.
  const hint = code === "NOT_FOUND" ? "Check the name or id." : next;
  return cliError(EXIT.refused, detail, ...errorLines(params, detail), hint);
}

/** Returns true for an address with a path under which Pawl does not run: Pawl itself would only answer NOT_FOUND. */
async function isNotPawl({ url }: ServerTarget, client: Client): Promise<boolean> {
  return new URL(url).pathname !== "/" && (await serverVersion(client)) === null;
}

/** Codes that a server of another version may cause: by a missing route, or by a shape that it does not know. */
const VERSION_MISMATCH_CODES = new Set([
  "UNEXPECTED_ANSWER",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "VALIDATION_ERROR",
]);

/** Called only after a failure: a server that answers as expected may have any version. */
async function versionMismatch(
  { url, urlFrom }: ServerTarget,
  client: Client,
  version: string,
  cause: unknown,
): Promise<CliError | null> {
  const theirs = await serverVersion(client);
  if (theirs === null || theirs === version) return null;
  return new CliError(
    EXIT.server,
    `The server at ${url} (${urlFrom}) is Pawl ${theirs} and this is Pawl ${version}; they differ in this request.`,
    {
      hints: [`Use the command line of Pawl ${theirs}, or Pawl ${version} for the server.`],
      document: { code: "OTHER_VERSION", server: theirs, command_line: version },
      cause,
    },
  );
}

/** Reads the server's version; null if it does not report one. */
export async function serverVersion(client: Client): Promise<string | null> {
  const document = await client.getOpenApi().catch(() => ({}));
  const { info } = document as { info?: { title?: unknown; version?: unknown } };
  return info?.title === "Pawl" && typeof info.version === "string" ? info.version : null;
}

function tokenErrorLines(
  { code, detail, next }: PawlProblem,
  { url, token, tokenFrom }: ServerTarget,
): [string, string] {
  if (token === null)
    return [
      `The server at ${url} requires a token, and none is set.`,
      "Set PAWL_TOKEN. An admin creates tokens with `pawl tokens create <member>`.",
    ];
  if (code !== "INVALID_TOKEN") return [detail, next];
  const hint =
    tokenFrom === "PAWL_TOKEN"
      ? "Ask an admin for a new one: `pawl tokens create <member>`."
      : "`pawl tokens reset-admin` creates a new one, on the machine with the database.";
  return [
    `The server at ${url} does not know the token in ${tokenFrom ?? ""}: it was revoked, or belongs to another server.`,
    hint,
  ];
}

function reasonIn({ cause }: PawlProblem): string {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string };
  return code === undefined ? "" : `, ${code}`;
}

/** One line per invalid field, except those whose message is already part of the sentence. */
function errorLines({ errors }: PawlProblem["params"], detail: string): string[] {
  if (!Array.isArray(errors)) return [];
  return (errors as { path: string; message: string }[])
    .filter(({ message }) => !detail.includes(message))
    .map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`);
}

/** Wrong usage that only the server's reply reveals: `unknownName("There is no lifecycle", "boad", known)`. */
export function unknownName(without: string, name: string, known: readonly string[]): CliError {
  const hint = didYouMean(name, known) || (known.length === 0 ? "." : `; there are ${known.join(", ")}.`);
  return new CliError(EXIT.usage, `${without} "${oneLine(name)}"${hint}`, {
    document: { code: "UNKNOWN_NAME", name, known },
  });
}
