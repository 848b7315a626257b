import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** A file for the eyes of whoever runs Pawl here. */
export function secretFile(path: string) {
  return {
    path,
    read: async (): Promise<string | null> => {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.trim() || null;
    },
    write: async (text: string): Promise<void> => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // In one step: nobody finds half a secret, and a file that was there with other rights is none any more.
      const beside = `${path}.${process.pid}`;
      await writeFile(beside, `${text}\n`, { mode: 0o600 });
      await rename(beside, path);
    },
  };
}
