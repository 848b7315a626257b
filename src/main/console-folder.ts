import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the built console, for the compiled server and for the sources; empty where it was not built. */
export function consoleFiles(): { consoleFolder?: string } {
  const folders = ["../console/", "../../dist/console/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const consoleFolder = folders.find((folder) => existsSync(join(folder, "assets")));
  return consoleFolder === undefined ? {} : { consoleFolder };
}
