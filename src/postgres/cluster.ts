import { createHash, randomBytes } from "node:crypto";
import {
  chown,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { copyBinaries, POSTGRES_MAJOR, runnableBinaries, type Binaries } from "./binaries.ts";
import {
  cannotRun,
  canEnter,
  canRun,
  namespaceAccount,
  run,
  serverAccount,
  type Account,
  type Launcher,
} from "./launcher.ts";
import { makeWhole } from "./make-whole.ts";
import { tellingLine } from "./server-log.ts";
import { INITIAL_SETTINGS } from "./server-settings.ts";
import { codeOf, diskFull, isDiskFull, unusable, unusableFolder } from "./unusable.ts";

/** The superuser and the database of the embedded server. */
export const EMBEDDED_NAME = "pawl";

/** Where root keeps clusters, and binaries, that an unprivileged user must reach. */
const SYSTEM_FOLDER = "/var/lib/pawl";

/**
 * Where an embedded PostgreSQL keeps its things:
 *
 *     <data>/postgres/   made whole by one rename; or a link to /var/lib/pawl/<hash>, see `placeFor` and `linkCluster`
 *       cluster/         PostgreSQL's own data folder
 *       password         of the superuser, for connections over the loopback port
 *       server.log       and server.log.1, the piece before
 */
export type Place = {
  /** The data folder as the user named it, for messages. */
  named: string;
  data: string;
  home: string;
  cluster: string;
  password: string;
  log: string;
};

/** Finds or makes the data folder, and tells where in it the cluster is or will be. */
export async function findPlace(named: string): Promise<Place> {
  try {
    // An unprivileged server of root's must be able to pass through; what lies inside is private on its own.
    await mkdir(named, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    const data = await realpath(named);
    const link = join(data, "postgres");
    const linked = await readlink(link).catch(() => undefined);
    // Links are made to whole clusters only: what this one points to was there once, and an empty one would be a lie.
    if (linked !== undefined && (await isGone(link))) {
      throw unusable(
        `${link} points to ${linked}, where nothing is; put the data back there, or remove the link to begin with an empty database.`,
      );
    }
    return placeAt(named, data, await realpathOfChild(resolve(data, linked ?? "postgres")));
  } catch (error) {
    throw unusableFolder(named, error);
  }
}

/** Whether there is a cluster; one that this PostgreSQL cannot open is an error. */
export async function hasCluster(place: Place): Promise<boolean> {
  try {
    const version = (await readFile(join(place.cluster, "PG_VERSION"), "utf8")).trim();
    if (version === POSTGRES_MAJOR) return true;
    throw unusable(
      `${place.cluster} was made by PostgreSQL ${version} and this is PostgreSQL ${POSTGRES_MAJOR}; run a PostgreSQL ${version} on it and set DATABASE_URL, or dump it there and restore it into another data folder.`,
    );
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw unusableFolder(place.home, error);
    const found = await readdir(place.home).catch(() => []);
    if (found.length === 0) return false;
    throw unusable(
      `${place.home} is broken (it holds no PostgreSQL cluster: cluster/PG_VERSION is missing); restore it from a backup or name another data folder.`,
      error,
    );
  }
}

/** How PostgreSQL will be run on a place: as whom, and with which binaries. */
export type Running = { place: Place; launcher: Launcher; binaries: Binaries };

/** Chooses as whom PostgreSQL runs; only root has a choice, as PostgreSQL refuses to run as root. */
export async function chooseRunning(
  place: Place,
  packaged: Binaries,
  wanted?: "namespace" | "user",
): Promise<Running> {
  const binaries = await runnableBinaries(packaged, place.data);
  if (process.getuid?.() !== 0) return { place, binaries, launcher: { kind: "direct" } };

  // PostgreSQL insists that its files are its user's own, so an existing cluster's owner is the one to run it.
  const owner = await stat(place.home).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    return asUser(place, binaries, { name: String(owner.uid), uid: owner.uid, gid: owner.gid });
  }

  const account = wanted === "user" ? undefined : await namespaceAccount();
  if (account) {
    const launcher: Launcher = { kind: "namespace", as: account };
    const works = (await canEnter(launcher, place.data)) && (await canRun(launcher, binaries.postgres));
    if (works) return { place, binaries, launcher };
  }
  if (owner ?? wanted === "namespace") {
    throw unusable(
      `PostgreSQL does not run as root, and user namespaces (unshare) do not work here for ${place.named}; allow them, start Pawl as an ordinary user with a data folder of its own, or set DATABASE_URL.`,
    );
  }
  return asUser(place, binaries, await serverAccount());
}

async function asUser(place: Place, binaries: Binaries, account: Account): Promise<Running> {
  const launcher: Launcher = { kind: "user", as: account };
  return {
    launcher,
    place: await placeFor(launcher, place),
    binaries: (await canRun(launcher, binaries.postgres))
      ? binaries
      : await copyBinaries(binaries, await systemFolder()),
  };
}

/**
 * An unprivileged user may be unable to reach the data folder (a project under /root). Then the cluster
 * lies in /var/lib/pawl, and a link in the data folder says so. Where he can, it stays with the rest of the data:
 * in a container that is the folder which people mount to keep.
 */
async function placeFor(launcher: Launcher, place: Place): Promise<Place> {
  if (await canEnter(launcher, dirname(place.home))) return place;
  const hash = createHash("sha256").update(place.data).digest("hex").slice(0, 16);
  const home = join(await systemFolder(), hash);
  return placeAt(place.named, place.data, await realpathOfChild(home));
}

/**
 * Links a cluster that had to be put elsewhere, and tells where the data folder has it now. Done before the cluster
 * is first used: one that was made and not linked holds nothing yet.
 */
export async function linkCluster(place: Place): Promise<Place> {
  const link = join(place.data, "postgres");
  if (place.home === link) return place;
  await symlink(place.home, link).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw unusableFolder(place.named, error);
  });
  return findPlace(place.named);
}

async function systemFolder(): Promise<string> {
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 }).catch((error: unknown) => {
    throw unusableFolder(SYSTEM_FOLDER, error);
  });
  return SYSTEM_FOLDER;
}

/** Makes the cluster; whoever else makes it at the same time, one whole cluster is there afterwards. */
export async function makeCluster(running: Running, fsync: boolean): Promise<void> {
  const { place, launcher, binaries } = running;
  try {
    await makeWhole(place.home, async (folder) => {
      const making = placeAt(place.named, place.data, folder);
      await writeFile(making.password, randomBytes(24).toString("base64url"), { mode: 0o600 });
      if (launcher.kind === "user") {
        await chown(making.password, launcher.as.uid, launcher.as.gid);
        await chown(folder, launcher.as.uid, launcher.as.gid);
      }
      const { code, output } = await run(launcher, binaries.initdb, initdbArguments(making, fsync)).catch(
        (error: unknown) => {
          throw cannotRun(binaries.initdb, error);
        },
      );
      if (code === 0) return;
      if (output.includes("No space left") || (await isDiskFull(place.data))) throw diskFull(place.named);
      throw unusable(
        `PostgreSQL could not prepare ${place.named} (${tellingLine(output)}); mend that or name another data folder.`,
      );
    });
  } catch (error) {
    throw unusableFolder(place.named, error);
  }
}

function initdbArguments(place: Place, fsync: boolean): string[] {
  return [
    ["--pgdata", place.cluster],
    ["--username", EMBEDDED_NAME],
    ["--pwfile", place.password],
    ["--encoding", "UTF8"],
    // Built into PostgreSQL: knows Unicode, sorts the same on every machine, and no update of a system library breaks an index.
    ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"],
    ["--data-checksums"],
    // Who can enter the socket's folder is the owner; whoever comes over the loopback port must prove it.
    ["--auth-local", "trust", "--auth-host", "scram-sha-256"],
    ...Object.entries(INITIAL_SETTINGS).map(([name, value]) => ["--set", `${name}=${value}`]),
    fsync ? [] : ["--no-sync"],
  ].flat();
}

async function isGone(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => codeOf(error) === "ENOENT",
  );
}

// The child may not exist yet, and the kernel tells real paths only.
async function realpathOfChild(path: string): Promise<string> {
  const parent = await realpath(dirname(path)).catch(() => dirname(path));
  return join(parent, basename(path));
}

function placeAt(named: string, data: string, home: string): Place {
  return {
    named,
    data,
    home,
    cluster: join(home, "cluster"),
    password: join(home, "password"),
    log: join(home, "server.log"),
  };
}
