import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { EXIT, Fault } from "../../../plugin/index.ts";
import { PawlProblem } from "../../../client/index.ts";
import type { Client } from "../../../client/index.ts";
import { privateFolder } from "../worker/private-folder.ts";
import { isRunning } from "../worker/repo-lock.ts";

export type WorkerToken = { token: string; letGo: () => Promise<void> };

type Place = { url: string; token: string | null };

/** Which process a token was made for, and where; the token itself is written down nowhere. */
type Note = { url: string; host: string; pid: number };

/** A token that may claim tasks: the caller's own, or for an admin one of a worker that is made for this machine. */
export async function workerToken(client: Client, place: Place, folder: string): Promise<WorkerToken> {
  const { id, roles } = await client.getMe();
  const { token } = place;
  if (token !== null && roles.includes("worker")) return { token, letGo: () => Promise.resolve() };
  if (!roles.includes("admin"))
    throw new Fault(EXIT.token, `"${id}" is no worker: only members with the role worker take tasks.`, {
      more: [
        "An admin makes one: `pawl members create coder --kind worker --role worker`, then `pawl tokens create coder`.",
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

/** One that is revoked when it is let go; and those of runs that were killed are revoked by the next. */
async function makeToken(
  client: Client,
  member: string,
  { url, notes }: { url: string; notes: string },
): Promise<WorkerToken> {
  await privateFolder(notes);
  const letGo = async (id: string) => {
    try {
      await client.revokeToken({ id });
    } catch (error) {
      // Only what is known to be gone is forgotten.
      if (!(error instanceof PawlProblem) || error.status !== 404) return;
    }
    await rm(join(notes, id), { force: true });
  };
  for (const id of await readdir(notes)) {
    const note = await readNote(join(notes, id));
    if (note?.url === url && note.host === hostname() && !isRunning(note.pid)) await letGo(id);
  }
  const { id, token } = await client.createToken({ id: member });
  const note: Note = { url, host: hostname(), pid: process.pid };
  await writeFile(join(notes, id), JSON.stringify(note), { mode: 0o600, flag: "wx" });
  return { token, letGo: () => letGo(id) };
}

async function readNote(path: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Note;
  } catch {
    return null;
  }
}
