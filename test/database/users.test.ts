import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { copyBinaries, locateBinaries } from "../../src/postgres/binaries.ts";
import { findClusterPaths, createCluster } from "../../src/postgres/cluster.ts";
import { run, serverAccount, type Account, type Launcher } from "../../src/postgres/launcher.ts";
import { copiedBinaries, copyProject } from "./project-copy.ts";
import { IS_ROOT, linkedCluster, serverOf, test, type Scratch } from "./scratch.ts";

const SYSTEM_FOLDER = "/var/lib/pawl";

let account: Account;
let systemFolderWasThere: boolean;
beforeAll(async () => {
  systemFolderWasThere = existsSync(SYSTEM_FOLDER);
  if (IS_ROOT) account = await serverAccount();
});

// Contains copies of the repository's packages if the account cannot read them.
afterAll(async () => {
  if (IS_ROOT && !systemFolderWasThere) await rm(SYSTEM_FOLDER, { recursive: true, force: true });
});

describe.runIf(IS_ROOT)("as root", () => {
  test("PostgreSQL runs in a user namespace and root owns its files", async ({ scratch, skip }) => {
    if (!(await namespacesWork())) skip("user namespaces are off here");
    const data = scratch.data();
    const database = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(0);
    expect((await stat(join(data, "postgres/cluster/base"))).uid).toBe(0);
    await database.close();
  });

  test.for(["namespace", "user"] as const)(
    "any existing account works for the launcher “%s”",
    async (kind, { scratch, skip }) => {
      if (kind === "namespace" && !(await namespacesWork())) skip("user namespaces are off here");
      const accounts = await accountsNamed(["nobody", "daemon", account.name]);
      expect(accounts.length).toBeGreaterThan(0);
      // None of the accounts may be able to read the repository.
      const binaries = await copyBinaries(locateBinaries(), scratch.folder);
      for (const as of accounts) {
        const paths = await findClusterPaths(scratch.data(`as-${as.name}`));
        await createCluster({ paths, binaries, launcher: { kind, as } }, false);
        expect(await readFile(join(paths.cluster, "PG_VERSION"), "utf8")).toBe("18\n");
        expect((await stat(paths.cluster)).uid).toBe(kind === "user" ? as.uid : 0);
      }
    },
  );

  test("a project and its data work in a folder that others cannot enter", async ({ scratch }) => {
    const secret = await privateFolder(scratch, "secret");
    const project = await writableProject(join(secret, "project"));
    const data = scratch.data("secret/data");
    const opener = await scratch.startProcess("stay", { data }, { project });
    await opener.waitForLine("open");
    await opener.leave();
    // A second process finds the cluster of the first.
    const again = await scratch.startProcess("stay", { data }, { project });
    expect(await again.waitForLine("progress")).toBe(`progress Starting PostgreSQL in ${data}`);
    await again.leave();
  });

  test("without namespaces an unprivileged user runs PostgreSQL, and the cluster stays in a folder it can read", async ({
    scratch,
  }) => {
    const data = scratch.data();
    const database = await scratch.open({ data, launcher: "user" });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    expect(await linkedCluster(data)).toBeUndefined();
    expect((await stat(join(data, "postgres"))).uid).toBe(account.uid);
    await database.sql`create table kept ()`;
    await database.close();

    // Later starts run as the owner of the files, even if a namespace would work.
    const later = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    expect(await later.sql`select count(*)::int from kept`).toEqual([{ count: 0 }]);
    await later.close();
  });

  test("without namespaces a project and data that this user cannot read are served from /var/lib/pawl", async ({
    scratch,
  }) => {
    const secret = await privateFolder(scratch, "secret");
    const project = await writableProject(join(secret, "project"));
    const data = scratch.data("secret/data");
    removeLinkedCluster(scratch, data);

    const processes = await Promise.all(
      [1, 2].map(() => scratch.startProcess("stay", { data, launcher: "user" }, { project })),
    );
    for (const opener of processes) await opener.waitForLine("open");
    expect(await linkedCluster(data)).toMatch(/^\/var\/lib\/pawl\/[0-9a-f]{16}$/);
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    for (const opener of processes) await opener.leave();
    expect(await serverOf(data)).toBeUndefined();

    const later = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    await later.close();
  });

  test("root can open data in a private folder of another user", async ({ scratch }) => {
    const home = await privateFolder(scratch, "home");
    await chown(home, account.uid, account.gid);
    const data = scratch.data("home/data");
    removeLinkedCluster(scratch, data);
    const database = await scratch.open({ data });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
  });

  test("a user's cluster runs as that user, who can continue to use it", async ({ scratch }) => {
    const data = await dataOfUser(scratch);
    const opener = await scratch.startProcess("stay", { data }, account);
    await opener.waitForLine("open");
    const joined = await scratch.open({ data });
    await opener.leave();
    expect(await joined.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await joined.close();

    const started = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    await started.close();
    const again = await scratch.startProcess("stay", { data }, account);
    await again.waitForLine("open");
    await again.leave();
  });
});

describe.runIf(IS_ROOT)(
  "as an ordinary user, in a process started by root (without root, all other tests run as one)",
  () => {
    test("PostgreSQL runs as that user, and only that user can enter the socket's folder", async ({
      scratch,
    }) => {
      const data = await dataOfUser(scratch);
      const opener = await scratch.startProcess("stay", { data }, account);
      const url = (await opener.waitForLine("open")).slice("open ".length);
      expect(await uidOf(await serverOf(data))).toBe(account.uid);
      const folder = await stat(new URL(url).searchParams.get("host") ?? "");
      expect([folder.uid, (folder.mode & 0o777).toString(8)]).toEqual([account.uid, "700"]);
      await opener.leave();
      expect(await serverOf(data)).toBeUndefined();
    });

    test("the user cannot open root's data", async ({ scratch }) => {
      const data = scratch.data("of-root");
      const database = await scratch.open({ data });
      const opener = await scratch.startProcess("stay", { data }, account);
      expect(await opener.ended).toBe(1);
      expect(opener.lines.at(-1)).toMatch(/^failed DATABASE_UNUSABLE .* is not writable for this user; /);
      await database.close();
    });

    test("a lock file with the process id of a program of root does not prevent the start", async ({
      scratch,
    }) => {
      const data = await dataOfUser(scratch);
      const first = await scratch.startProcess("stay", { data }, account);
      const socketFolder = new URL((await first.waitForLine("open")).slice("open ".length)).searchParams.get(
        "host",
      );
      await first.leave();
      // As after a crash of the machine; the user cannot read the working directory of process 1.
      const cluster = join(data, "postgres/cluster");
      const lock = join(cluster, "postmaster.pid");
      await writeFile(lock, `1\n${cluster}\n1\n5432\n${String(socketFolder)}\n\n\nready\n`, { mode: 0o600 });
      await mkdir(String(socketFolder), { mode: 0o700 });
      const socketLock = join(String(socketFolder), ".s.PGSQL.5432.lock");
      await writeFile(socketLock, "1\n", { mode: 0o600 });
      for (const path of [lock, String(socketFolder), socketLock])
        await chown(path, account.uid, account.gid);

      const opener = await scratch.startProcess("stay", { data }, account);
      await opener.waitForLine("open");
      expect(await uidOf(await serverOf(data))).toBe(account.uid);
      await opener.leave();
    });

    test("a read-only package whose install script never ran is copied into the data folder", async ({
      scratch,
    }) => {
      const data = await dataOfUser(scratch);
      const project = await writableProject(join(scratch.folder, "copy"));
      await unhydrate(project);
      const opener = await scratch.startProcess("stay", { data }, { project, ...account });
      await opener.waitForLine("open");
      expect(existsSync(join(copiedBinaries(project), "lib/libpq.so.5"))).toBe(false);
      await opener.leave();
    });
  },
);

test.runIf(process.platform === "linux")(
  "a package whose install script never ran is repaired in place, also by several processes at once",
  async ({ scratch }) => {
    const project = await writableProject(join(scratch.folder, "copy"));
    await unhydrate(project);
    const processes = await Promise.all(
      ["a", "b", "c"].map((name) => scratch.startProcess("stay", { data: scratch.data(name) }, { project })),
    );
    for (const opener of processes) await opener.waitForLine("open");
    for (const opener of processes) await opener.leave();
    expect(existsSync(join(copiedBinaries(project), "lib/libpq.so.5"))).toBe(true);
  },
);

async function privateFolder(scratch: Scratch, name: string): Promise<string> {
  const folder = join(scratch.folder, name);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Returns a data folder in the home of an ordinary user. */
async function dataOfUser(scratch: Scratch): Promise<string> {
  const home = await privateFolder(scratch, "home");
  await chown(home, account.uid, account.gid);
  return scratch.data("home/data");
}

/** Copies the project with its packages, which the test may change. */
async function writableProject(folder: string): Promise<string> {
  await mkdir(folder);
  return copyProject(folder, "copied");
}

/** Puts a package into the state after an installation without scripts, by a tool that drops the executable bit. */
async function unhydrate(project: string): Promise<void> {
  const native = copiedBinaries(project);
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const { target } of links) await rm(join(native, "..", target), { force: true });
  for (const program of ["initdb", "pg_ctl", "postgres"]) await chmod(join(native, "bin", program), 0o644);
}

/** Removes the cluster after the test if it was stored outside of the scratch folder. */
function removeLinkedCluster(scratch: Scratch, data: string): void {
  scratch.onCleanUp(async () => {
    const home = await linkedCluster(data);
    if (home?.startsWith(`${SYSTEM_FOLDER}/`)) await rm(home, { recursive: true, force: true });
  });
}

async function namespacesWork(): Promise<boolean> {
  const launcher: Launcher = { kind: "namespace", as: account };
  return run(launcher, "/bin/sh", ["-c", "true"]).then(
    ({ code }) => code === 0,
    () => false,
  );
}

async function accountsNamed(names: string[]): Promise<Account[]> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  return lines
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid }) => names.includes(name) && uid > 0);
}

async function uidOf(pid: number | undefined): Promise<number> {
  return (await stat(`/proc/${String(pid)}`)).uid;
}
