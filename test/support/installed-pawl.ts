import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./built-pawl.ts";

const execute = promisify(execFile);
const WINDOWS = process.platform === "win32";

type Manifest = Record<
  "dependencies" | "optionalDependencies" | "peerDependencies",
  Record<string, string>
> & { version: string };

/** Packs the package as it would be published; returns the tarball and the folder that it was packed from. */
export async function packPawl(scratch: string): Promise<{ tarball: string; packed: string }> {
  const packed = join(scratch, "package");
  // Packed outside of the repository, because npm leaves files behind.
  await mkdir(packed);
  for (const file of ["package.json", "README.md", "CHANGELOG.md", "LICENSE"])
    await cp(join(ROOT, file), join(packed, file));
  await cp(join(ROOT, "dist"), join(packed, "dist"), { recursive: true });
  await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", scratch], {
    cwd: packed,
    shell: WINDOWS,
  });
  const { version } = await readManifest();
  return { tarball: join(scratch, `pawl-${version}.tgz`), packed };
}

/** Installs the tarball like `npm install`, but without a registry: only packages in the manifest or in `more` can be imported. */
export async function installPawl(tarball: string, project: string, more: readonly string[]): Promise<void> {
  const modules = join(project, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  await execute("tar", ["-xzf", tarball, "-C", modules]);
  await rename(join(modules, "package"), join(modules, "pawl"));
  const { dependencies, peerDependencies, optionalDependencies } = await readManifest();
  const required = [...Object.keys(dependencies), ...Object.keys(peerDependencies), ...more];
  // Packages for other platforms are not installed.
  const optional = Object.keys(optionalDependencies).filter((name) => existsSync(installed(name)));
  for (const name of new Set([...required, ...optional])) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(installed(name), join(modules, name), "junction");
  }
  await chmod(join(modules, "pawl/dist/main/bin.js"), 0o755);
  for (const name of ["pawl", ...more]) await linkCommands(modules, name);
}

/** Links the commands of a package into `.bin`. */
async function linkCommands(modules: string, name: string): Promise<void> {
  const { bin = {} } = JSON.parse(await readFile(join(modules, name, "package.json"), "utf8")) as {
    bin?: string | Record<string, string>;
  };
  for (const [command, file] of Object.entries(typeof bin === "string" ? { [name]: bin } : bin))
    await symlink(join(modules, name, file), join(modules, ".bin", command));
}

function installed(name: string): string {
  return join(ROOT, "node_modules", name);
}

async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;
}
