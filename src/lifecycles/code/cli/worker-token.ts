import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { EXIT, CliError } from "../../../plugin/index.ts";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { privateFolder } from "../worker/private-folder.ts";
import { isRunning } from "../worker/repo-lock.ts";

export type WorkerToken = { token: string; revoke: () => Promise<void> };

type Place = { url: string; token: string | null };

/** The server and the process that a token was issued for. The token itself is never written to disk. */
type Note = { url: string; host: string; pid: number };

/** Returns a token that can claim tasks: the caller's own, or for an admin a new one of this machine's worker member. */
export async function workerToken(client: Client, place: Place, folder: string): Promise<WorkerToken> {
  const { id, roles } = await client.getMe();
  const { token } = place;
  if (token !== null && roles.includes("worker")) return { token, revoke: () => Promise.resolve() };
  if (!roles.includes("admin"))
    throw new CliError(EXIT.refused, `"${id}" cannot claim tasks: the role worker is required.`, {
      hints: [
        "As an admin, create a worker: `pawl members add coder --kind worker --roles worker`, then `pawl tokens create coder`.",
      ],
      document: { code: "FORBIDDEN" },
    });
  const member = `coder-${hostname().replaceAll(/[^\w.-]/g, "-")}`.slice(0, 100);
  await client
    .createMember({ id: member, name: `Coding agents on ${hostname()}`, kind: "worker", roles: ["worker"] })
    .catch((error: unknown) => {
      if (!(error instanceof PawlProblem) || error.code !== "ALREADY_EXISTS") throw error;
    });
  return makeToken(client, member, { url: place.url, notes: join(folder, "tokens") });
}

/** Issues a token that `revoke` revokes. Also revokes the tokens of killed runs on this machine. */
async function makeToken(
  client: Client,
  member: string,
  { url, notes }: { url: string; notes: string },
): Promise<WorkerToken> {
  await privateFolder(notes);
  const revoke = async (id: string) => {
    try {
      await client.revokeToken({ id });
    } catch (error) {
      // The note is kept unless the token is known to be gone.
      if (!(error instanceof PawlProblem) || error.status !== 404) return;
    }
    await rm(join(notes, id), { force: true });
  };
  for (const id of await readdir(notes)) {
    const note = await readNote(join(notes, id));
    if (note?.url === url && note.host === hostname() && !isRunning(note.pid)) await revoke(id);
  }
  const { id, token } = await client.createToken({ id: member });
  const note: Note = { url, host: hostname(), pid: process.pid };
  await writeFile(join(notes, id), JSON.stringify(note), { mode: 0o600, flag: "wx" });
  return { token, revoke: () => revoke(id) };
}

async function readNote(path: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Note;
  } catch {
    return null;
  }
}
