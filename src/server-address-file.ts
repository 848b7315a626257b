import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

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
    write: async (address: string) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const beside = `${path}.${process.pid}`;
      await writeFile(beside, `${address}\n`, { mode: 0o600 });
      await rename(beside, path);
    },
    /** Another server on the same data may have written its own meanwhile: that one stays. */
    remove: async (address: string) => {
      if ((await read()) === address) await rm(path, { force: true });
    },
  };
}
