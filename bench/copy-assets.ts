import { cpSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Copies the files that the compiler leaves out: migrations of the engine and of lifecycles, and `.mjs` scripts. */
export function copyAssets(from: string, to: string): void {
  const paths = readdirSync(from, { recursive: true, encoding: "utf8" });
  for (const script of paths.filter((path) => path.endsWith(".mjs")))
    cpSync(join(from, script), join(to, script));
  for (const folder of paths.filter((path) => basename(path) === "migrations")) {
    rmSync(join(to, folder), { recursive: true, force: true });
    cpSync(join(from, folder), join(to, folder), {
      recursive: true,
      filter: (file) => !file.endsWith(".ts"),
    });
  }
}
