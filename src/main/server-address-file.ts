import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../std/replace-file.ts";

/** `<data>/address`: the address of the server that uses this data folder, for the command line. */
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
    /** Keeps an address that another server on the same data has written meanwhile. */
    remove: async (address: string) => {
      if ((await read()) === address) await rm(path, { force: true });
    },
  };
}
