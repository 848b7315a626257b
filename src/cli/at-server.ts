import { createClient, PawlProblem } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { didYouMean, hideCredentials, problemOf } from "../core/index.ts";
import { oneLine } from "./display-width.ts";
import { EXIT } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import type { ReachFlags, ServerPlace, Surroundings } from "./surroundings.ts";

export type Reached = { client: Client; place: ServerPlace };

/** Who sits before a terminal rather hears soon that there is nobody than waits for half a minute. */
const PATIENCE = { retries: 2, timeoutMs: 30_000 };

/** Does something with the server; what goes wrong with it is told in one sentence that fits. */
export async function atServer<T>(
  { findServer, version }: Pick<Surroundings, "findServer" | "version">,
  { url, data }: ReachFlags,
  work: (server: Reached) => Promise<T>,
): Promise<T> {
  const place = await findServer({
    ...(url === undefined ? {} : { url }),
    ...(data === undefined ? {} : { data }),
  });
  const client = clientOf(place);
  try {
    return await work({ client, place });
  } catch (error) {
    // What a server of another version answers may also be something that we stumble over.
    if (error instanceof PawlProblem) throw await faultOf(error, place, client, version);
    if (error instanceof TypeError) throw (await otherVersion(place, client, version, error)) ?? error;
    throw error;
  }
}

function clientOf({ url, urlFrom, token, tokenFrom }: ServerPlace): Client {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new Fault(
      EXIT.usage,
      `${urlFrom} is ${JSON.stringify(hideCredentials(url))}, not an address like http://127.0.0.1:4747.`,
    );
  if (new URL(url).username !== "" || new URL(url).password !== "")
    throw new Fault(EXIT.usage, `${urlFrom} must not contain a user name or a password.`, {
      more: ["Remove them, and set PAWL_TOKEN to a token of Pawl."],
    });
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    throw new Fault(
      EXIT.token,
      `What ${tokenFrom ?? ""} holds is no token: tokens have no spaces or line breaks.`,
    );
  return createClient({ url, token: token ?? undefined, ...PATIENCE });
}

async function faultOf(
  problem: PawlProblem,
  place: ServerPlace,
  client: Client,
  version: string,
): Promise<Fault> {
  const { code, status, detail, next, params } = problem;
  const document = { code, title: problemOf(code).title, detail, next, status, ...params };
  const fault = (exitCode: Fault["exitCode"], sentence: string, ...more: string[]) =>
    new Fault(exitCode, sentence, { more, document, cause: problem });
  if (code === "UNAVAILABLE" && status === 0)
    return fault(
      EXIT.server,
      `No server answers at ${place.url} (${place.urlFrom}${reasonIn(problem)}).`,
      "Start one with `pawl start`, or say with PAWL_URL where it is.",
    );
  if (code === "UNAVAILABLE") return fault(EXIT.server, detail, problemOf(code).next);
  if (status === 401) return fault(EXIT.token, ...tokenWords(problem, place));
  if (MAY_BE_ANOTHER.has(code)) {
    const other = await otherVersion(place, client, version, problem);
    if (other) return other;
  }
  if (code === "UNEXPECTED_ANSWER" || (code === "NOT_FOUND" && (await isElsewhere(place, client))))
    return fault(
      EXIT.server,
      `What answers at ${place.url} (${place.urlFrom}) is no Pawl server.`,
      "Give the address that `pawl start` prints, without a path.",
    );
  const mended = code === "VALIDATION_ERROR" ? "Mend the fields that are named." : next;
  return fault(EXIT.refused, detail, ...errorLines(params, detail), mended);
}

/** A Pawl says of an address that has a path too many only that nothing is there. */
async function isElsewhere({ url }: ServerPlace, client: Client): Promise<boolean> {
  return new URL(url).pathname !== "/" && (await serverVersion(client)) === null;
}

/** What a route that is not there, or a shape that is not understood, may come from. */
const MAY_BE_ANOTHER = new Set(["UNEXPECTED_ANSWER", "NOT_FOUND", "METHOD_NOT_ALLOWED", "VALIDATION_ERROR"]);

/** Looked up only when something went wrong: a server that answers as we expect may be of any version. */
async function otherVersion(
  { url, urlFrom }: ServerPlace,
  client: Client,
  version: string,
  cause: unknown,
): Promise<Fault | null> {
  const theirs = await serverVersion(client);
  if (theirs === null || theirs === version) return null;
  return new Fault(
    EXIT.server,
    `The server at ${url} (${urlFrom}) is Pawl ${theirs} and this is Pawl ${version}: they do not understand each other here.`,
    {
      more: [`Use the command line of Pawl ${theirs}: \`npx pawl@${theirs}\`.`],
      document: { code: "OTHER_VERSION", server: theirs, command_line: version },
      cause,
    },
  );
}

/** null where none is told. */
export async function serverVersion(client: Client): Promise<string | null> {
  const told = await client.getOpenApi().catch(() => ({}));
  const { info } = told as { info?: { title?: unknown; version?: unknown } };
  return info?.title === "Pawl" && typeof info.version === "string" ? info.version : null;
}

function tokenWords(
  { code, detail, next }: PawlProblem,
  { url, token, tokenFrom }: ServerPlace,
): [string, string] {
  if (token === null)
    return [
      `The server at ${url} wants a token, and there is none.`,
      "Set PAWL_TOKEN; an admin makes one with `pawl tokens create <member>`.",
    ];
  if (code !== "INVALID_TOKEN") return [detail, next];
  const again =
    tokenFrom === "PAWL_TOKEN"
      ? "Ask an admin for a new one: `pawl tokens create <member>`."
      : "`pawl tokens reset-admin` makes a new one, on the machine that holds the database.";
  return [
    `The server at ${url} does not know the token in ${tokenFrom ?? ""}: it was revoked, or is another server's.`,
    again,
  ];
}

function reasonIn({ cause }: PawlProblem): string {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string };
  return code === undefined ? "" : `, ${code}`;
}

/** Each field with what is wrong with it, unless the sentence says so already. */
function errorLines({ errors }: PawlProblem["params"], detail: string): string[] {
  if (!Array.isArray(errors)) return [];
  return (errors as { path: string; message: string }[])
    .filter(({ message }) => !detail.includes(message))
    .map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`);
}

/** Wrong usage that only the server's answer shows: `unknownName("There is no lifecycle", "boad", known)`. */
export function unknownName(without: string, name: string, known: readonly string[]): Fault {
  const hint = didYouMean(name, known) || (known.length === 0 ? "." : `; there are ${known.join(", ")}.`);
  return new Fault(EXIT.usage, `${without} "${oneLine(name)}"${hint}`, {
    document: { code: "UNKNOWN_NAME", name, known },
  });
}
