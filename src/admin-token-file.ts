import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Keeping } from "./engine/admin.ts";

/** `<data>/admin-token`: for the eyes of whoever runs the server. */
export function adminTokenFile(data: string): Keeping & { path: string } {
  const path = join(data, "admin-token");
  return {
    path,
    read: async () => {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.trim() || null;
    },
    write: async (token) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // In one step: nobody finds half a token, and a file that was there with other rights is none any more.
      const beside = `${path}.${process.pid}`;
      await writeFile(beside, `${token}\n`, { mode: 0o600 });
      await rename(beside, path);
    },
  };
}
