import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the bytes that a folder occupies on disk, like `du`. */
export function diskUsage(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    join(folder, name),
  );
  return [folder, ...entries].reduce((sum, path) => sum + lstatSync(path).blocks * 512, 0);
}
