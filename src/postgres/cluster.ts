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
import { createFolder } from "./create-folder.ts";
import { failureReason } from "./server-log.ts";
import { INITIAL_SETTINGS } from "./server-settings.ts";
import { codeOf, diskFull, isDiskFull, unusable, unusableFolder } from "./unusable.ts";

/** The superuser and the database of the embedded server. */
export const EMBEDDED_NAME = "pawl";

/** Holds the clusters and binaries that root creates for an unprivileged user. */
const SYSTEM_FOLDER = "/var/lib/pawl";

/**
 * Paths of an embedded PostgreSQL:
 *
 *     <data>/postgres/   created by one rename; or a link to /var/lib/pawl/<hash>, see `pathsFor` and `linkCluster`
 *       cluster/         PostgreSQL's own data folder
 *       password         of the superuser, for connections over the loopback port
 *       server.log       and server.log.1, the older part
 */
export type ClusterPaths = {
  /** The data folder as the user named it, for messages. */
  named: string;
  data: string;
  home: string;
  cluster: string;
  password: string;
  log: string;
};

/** Creates the data folder if needed, and returns the paths of its cluster, which may not exist yet. */
export async function findClusterPaths(named: string): Promise<ClusterPaths> {
  try {
    // A server that root starts as another user must be able to enter; the files inside have permissions of their own.
    await mkdir(named, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    const data = await realpath(named);
    const link = join(data, "postgres");
    const linked = await readlink(link).catch(() => undefined);
    // A link always pointed to a complete cluster, so a missing one means lost data: do not replace it by an empty one.
    if (linked !== undefined && (await isGone(link))) {
      throw unusable(
        `${link} points to ${linked}, which does not exist; put the data back there, or remove the link to start with an empty database.`,
      );
    }
    return pathsAt(named, data, await realpathOfChild(resolve(data, linked ?? "postgres")));
  } catch (error) {
    throw unusableFolder(named, error);
  }
}

/** Checks whether the cluster exists; throws if this PostgreSQL cannot open it. */
export async function hasCluster(paths: ClusterPaths): Promise<boolean> {
  try {
    const version = (await readFile(join(paths.cluster, "PG_VERSION"), "utf8")).trim();
    if (version === POSTGRES_MAJOR) return true;
    throw unusable(
      `${paths.cluster} was created by PostgreSQL ${version}, and this is PostgreSQL ${POSTGRES_MAJOR}; run a PostgreSQL ${version} on it and set DATABASE_URL, or dump it there and restore it into another data folder.`,
    );
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw unusableFolder(paths.home, error);
    const found = await readdir(paths.home).catch(() => []);
    if (found.length === 0) return false;
    throw unusable(
      `${paths.home} is not a PostgreSQL cluster (cluster/PG_VERSION is missing); restore it from a backup or choose another data folder.`,
      error,
    );
  }
}

/** How PostgreSQL is started: on which cluster, as which user, with which binaries. */
export type LaunchPlan = { paths: ClusterPaths; launcher: Launcher; binaries: Binaries };

/** Chooses the user that PostgreSQL runs as: the current one, or another if that is root, which PostgreSQL refuses. */
export async function planLaunch(
  paths: ClusterPaths,
  packaged: Binaries,
  wanted?: "namespace" | "user",
): Promise<LaunchPlan> {
  const binaries = await runnableBinaries(packaged, paths.data);
  if (process.getuid?.() !== 0) return { paths, binaries, launcher: { kind: "direct" } };

  // PostgreSQL requires that its user owns its files, so an existing cluster is run by its owner.
  const owner = await stat(paths.home).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    return asUser(paths, binaries, { name: String(owner.uid), uid: owner.uid, gid: owner.gid });
  }

  const account = wanted === "user" ? undefined : await namespaceAccount();
  if (account) {
    const launcher: Launcher = { kind: "namespace", as: account };
    const works = (await canEnter(launcher, paths.data)) && (await canRun(launcher, binaries.postgres));
    if (works) return { paths, binaries, launcher };
  }
  if (owner ?? wanted === "namespace") {
    throw unusable(
      `PostgreSQL does not run as root, and user namespaces (unshare) do not work here for ${paths.named}; allow them, start Pawl as an ordinary user with a data folder of its own, or set DATABASE_URL.`,
    );
  }
  return asUser(paths, binaries, await serverAccount());
}

async function asUser(paths: ClusterPaths, binaries: Binaries, account: Account): Promise<LaunchPlan> {
  const launcher: Launcher = { kind: "user", as: account };
  return {
    launcher,
    paths: await pathsFor(launcher, paths),
    binaries: (await canRun(launcher, binaries.postgres))
      ? binaries
      : await copyBinaries(binaries, await systemFolder()),
  };
}

/**
 * Moves the cluster to /var/lib/pawl if the unprivileged user cannot reach the data folder (a project under /root);
 * a link in the data folder then points there. Otherwise it stays with the rest of the data, which in a container is
 * usually a mounted volume.
 */
async function pathsFor(launcher: Launcher, paths: ClusterPaths): Promise<ClusterPaths> {
  if (await canEnter(launcher, dirname(paths.home))) return paths;
  const hash = createHash("sha256").update(paths.data).digest("hex").slice(0, 16);
  const home = join(await systemFolder(), hash);
  return pathsAt(paths.named, paths.data, await realpathOfChild(home));
}

/**
 * Links a cluster outside the data folder and returns its paths again. This is done before the cluster is first used, so
 * that one without a link is always empty.
 */
export async function linkCluster(paths: ClusterPaths): Promise<ClusterPaths> {
  const link = join(paths.data, "postgres");
  if (paths.home === link) return paths;
  await symlink(paths.home, link).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw unusableFolder(paths.named, error);
  });
  return findClusterPaths(paths.named);
}

async function systemFolder(): Promise<string> {
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 }).catch((error: unknown) => {
    throw unusableFolder(SYSTEM_FOLDER, error);
  });
  return SYSTEM_FOLDER;
}

/** Creates the cluster. If several processes do so at once, one complete cluster remains. */
export async function createCluster(plan: LaunchPlan, fsync: boolean): Promise<void> {
  const { paths, launcher, binaries } = plan;
  try {
    await createFolder(paths.home, async (folder) => {
      const draft = pathsAt(paths.named, paths.data, folder);
      await writeFile(draft.password, randomBytes(24).toString("base64url"), { mode: 0o600 });
      if (launcher.kind === "user") {
        await chown(draft.password, launcher.as.uid, launcher.as.gid);
        await chown(folder, launcher.as.uid, launcher.as.gid);
      }
      const { code, output } = await run(launcher, binaries.initdb, initdbArguments(draft, fsync)).catch(
        (error: unknown) => {
          throw cannotRun(binaries.initdb, error);
        },
      );
      if (code === 0) return;
      if (output.includes("No space left") || (await isDiskFull(paths.data))) throw diskFull(paths.named);
      throw unusable(
        `PostgreSQL could not prepare ${paths.named} (${failureReason(output)}); fix that or choose another data folder.`,
      );
    });
  } catch (error) {
    throw unusableFolder(paths.named, error);
  }
}

function initdbArguments(paths: ClusterPaths, fsync: boolean): string[] {
  return [
    ["--pgdata", paths.cluster],
    ["--username", EMBEDDED_NAME],
    ["--pwfile", paths.password],
    ["--encoding", "UTF8"],
    // PostgreSQL's own Unicode locale sorts the same on every machine, and no update of a system library breaks an index.
    ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"],
    ["--data-checksums"],
    // Only the owner can enter the socket's folder, so sockets need no password; the loopback port does.
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

// The child may not exist yet, and realpath works only on existing files.
async function realpathOfChild(path: string): Promise<string> {
  const parent = await realpath(dirname(path)).catch(() => dirname(path));
  return join(parent, basename(path));
}

function pathsAt(named: string, data: string, home: string): ClusterPaths {
  return {
    named,
    data,
    home,
    cluster: join(home, "cluster"),
    password: join(home, "password"),
    log: join(home, "server.log"),
  };
}
