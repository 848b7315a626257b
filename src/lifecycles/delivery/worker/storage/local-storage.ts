import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join, sep } from "node:path";
import { DeliveryFault, faultOf } from "../faults.ts";
import type { Entry, OpenedFile, Storage } from "./storage.ts";

const PAGE = 500;
const CHUNK_BYTES = 256 * 1024;

/** A folder of this machine. Hidden files are left out; links are not followed, for they may lead out of it. */
export function localStorage(folder: string): Storage {
  return {
    list: async function* (path) {
      yield* pagesOf(await entriesOf(folder, path).catch(rethrown));
    },
    open: (path) => openFile(folder, path).catch(rethrown),
  };
}

async function entriesOf(root: string, folder: string | null): Promise<Entry[]> {
  const place = await within(root, folder ?? "");
  const found = await readdir(place, { withFileTypes: true });
  const shown = found.filter(
    (one) => (one.isFile() || one.isDirectory()) && !one.name.startsWith(".") && isReadable(one.name),
  );
  const entries = await Promise.all(
    shown.map(async (one): Promise<Entry | null> => {
      const { name } = one;
      const path = folder === null ? name : `${folder}/${name}`;
      if (one.isDirectory()) return { kind: "folder", path, name, size: null, revision: null };
      const about = await stat(join(place, name)).catch(unlessGone);
      if (about === null) return null;
      return { kind: "file", path, name, size: about.size, revision: revisionOf(about.size, about.mtimeMs) };
    }),
  );
  return entries.filter((entry) => entry !== null);
}

/** A file that went while its folder was looked through: the folder itself is still there. */
function unlessGone(error: unknown): null {
  if ((error as { code?: string }).code === "ENOENT") return null;
  throw error;
}

async function openFile(root: string, path: string): Promise<OpenedFile> {
  const handle = await open(await within(root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw new DeliveryFault({ side: "storage", status: 404 });
    const { size, mtimeMs } = about;
    const revision = revisionOf(size, mtimeMs);
    return {
      size,
      revision,
      sha256: null,
      read: (from) => chunksOf(handle, from),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* chunksOf(handle: FileHandle, from: number): AsyncGenerator<Uint8Array> {
  for (let at = from; ;) {
    // A fresh one each time: what was given away is still being sent.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at).catch(rethrown);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Where it really is, which must be in the folder. */
async function within(root: string, path: string): Promise<string> {
  const [home, place] = await Promise.all([realpath(root), realpath(join(root, path))]);
  if (place === home || place.startsWith(home.endsWith(sep) ? home : home + sep)) return place;
  throw new DeliveryFault({ side: "storage", status: 403 });
}

function revisionOf(size: number, mtimeMs: number): string {
  return `${size}-${mtimeMs}`;
}

/** A name that is no text cannot be shown, nor found again. */
function isReadable(name: string): boolean {
  return !name.includes("\u{FFFD}");
}

function* pagesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let at = 0; at < entries.length; at += PAGE) yield entries.slice(at, at + PAGE);
}

function rethrown(error: unknown): never {
  throw faultOf(error, "storage");
}
