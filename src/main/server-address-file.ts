import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../std/replace-file.ts";

/** `<data>/address`: where the server listens that runs on this data, so that the command line finds it by itself. */
export function serverAddressFile(data: string) {
  const path = join(data, "address");
  const read = async () => {
    const text = await readFile(path, "utf8").catch(() => "");
    return text.trim() || null;
  };
  return {
    path,
    read,
    write: (address: string) => replaceFile(path, `${address}\n`, { mode: 0o600, folderMode: 0o700 }),
    /** Another server on the same data may have written its own meanwhile: that one stays. */
    remove: async (address: string) => {
      if ((await read()) === address) await rm(path, { force: true });
    },
  };
}
