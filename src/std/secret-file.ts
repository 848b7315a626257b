import { readFile } from "node:fs/promises";
import { replaceFile } from "./replace-file.ts";

/** A file that only the user who runs Pawl can read. */
export function secretFile(path: string) {
  return {
    path,
    read: async (): Promise<string | null> => {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.trim() || null;
    },
    write: (text: string) => replaceFile(path, `${text}\n`, { mode: 0o600, folderMode: 0o700 }),
  };
}
