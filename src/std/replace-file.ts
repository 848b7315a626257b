import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file atomically: readers see the old text or the new one. The text is first written to a new file with a random
 * name and the given mode, so that a file or a symbolic link planted at a predictable name is never written to.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, folderMode }: { mode: number; folderMode?: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, ...(folderMode === undefined ? {} : { mode: folderMode }) });
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(draft, text, { mode, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
