import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file in one step: readers see the old text or the new one, and the mode is the one given here. The text goes to a
 * new file with a random name first: a file or a link that somebody has put there is never written to.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, folderMode }: { mode: number; folderMode?: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, ...(folderMode === undefined ? {} : { mode: folderMode }) });
  const beside = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(beside, text, { mode, flag: "wx" });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
