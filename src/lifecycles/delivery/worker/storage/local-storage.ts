import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join, sep } from "node:path";
import { DeliveryFault, faultOf } from "../faults.ts";
import type { Entry, OpenedFile, Storage } from "./storage.ts";

const PAGE_SIZE = 500;
const CHUNK_BYTES = 256 * 1024;

/** A local folder. Hidden files are skipped; links are not followed, because they could lead out of the folder. */
export function localStorage(folder: string): Storage {
  return {
    list: async function* (path) {
      yield* pagesOf(await entriesOf(folder, path).catch(throwFault));
    },
    open: (path) => openFile(folder, path).catch(throwFault),
  };
}

async function entriesOf(root: string, folder: string | null): Promise<Entry[]> {
  const directory = await resolveInside(root, folder ?? "");
  const found = await readdir(directory, { withFileTypes: true });
  const shown = found.filter(
    (one) => (one.isFile() || one.isDirectory()) && !one.name.startsWith(".") && isValidName(one.name),
  );
  const entries = await Promise.all(
    shown.map(async (one): Promise<Entry | null> => {
      const { name } = one;
      const path = folder === null ? name : `${folder}/${name}`;
      if (one.isDirectory()) return { kind: "folder", path, name, size: null, revision: null };
      const stats = await stat(join(directory, name)).catch(nullIfGone);
      if (stats === null) return null;
      return { kind: "file", path, name, size: stats.size, revision: revisionOf(stats.size, stats.mtimeMs) };
    }),
  );
  return entries.filter((entry) => entry !== null);
}

/** A file was deleted while its folder was listed. */
function nullIfGone(error: unknown): null {
  if ((error as { code?: string }).code === "ENOENT") return null;
  throw error;
}

async function openFile(root: string, path: string): Promise<OpenedFile> {
  const handle = await open(await resolveInside(root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new DeliveryFault({ side: "storage", status: 404 });
    const { size, mtimeMs } = stats;
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
    // A new buffer each time: the previous one is still being sent.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at).catch(throwFault);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Returns the real path, which must be inside the folder. */
async function resolveInside(root: string, path: string): Promise<string> {
  const [realRoot, realPath] = await Promise.all([realpath(root), realpath(join(root, path))]);
  if (realPath === realRoot || realPath.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep))
    return realPath;
  throw new DeliveryFault({ side: "storage", status: 403 });
}

function revisionOf(size: number, mtimeMs: number): string {
  return `${size}-${mtimeMs}`;
}

/** A name that is not valid UTF-8 cannot be displayed or opened again. */
function isValidName(name: string): boolean {
  return !name.includes("\u{FFFD}");
}

function* pagesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let at = 0; at < entries.length; at += PAGE_SIZE) yield entries.slice(at, at + PAGE_SIZE);
}

function throwFault(error: unknown): never {
  throw faultOf(error, "storage");
}
