import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { copyBinaries, locateBinaries } from "../../src/postgres/binaries.ts";
import { findPlace, makeCluster } from "../../src/postgres/cluster.ts";
import { run, serverAccount, type Account, type Launcher } from "../../src/postgres/launcher.ts";
import { copiedBinaries, copyProject } from "./project-copy.ts";
import { IS_ROOT, linkedHome, serverOf, test, type Scratch } from "./scratch.ts";

const SYSTEM_FOLDER = "/var/lib/pawl";

let account: Account;
let systemFolderWasThere: boolean;
beforeAll(async () => {
  systemFolderWasThere = existsSync(SYSTEM_FOLDER);
  if (IS_ROOT) account = await serverAccount();
});

// Wherever the account cannot reach the repository's packages, a copy of them was put there.
afterAll(async () => {
  if (IS_ROOT && !systemFolderWasThere) await rm(SYSTEM_FOLDER, { recursive: true, force: true });
});

describe.runIf(IS_ROOT)("as root (only root can show it)", () => {
  test("PostgreSQL runs in a user namespace and its files stay root's", async ({ scratch, skip }) => {
    if (!(await namespacesWork())) skip("user namespaces are off here");
    const data = scratch.data();
    const database = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(0);
    expect((await stat(join(data, "postgres/cluster/base"))).uid).toBe(0);
    await database.close();
  });

  test.for(["namespace", "user"] as const)(
    "any existing account will do for a %s",
    async (kind, { scratch, skip }) => {
      if (kind === "namespace" && !(await namespacesWork())) skip("user namespaces are off here");
      const accounts = await accountsNamed(["nobody", "daemon", account.name]);
      expect(accounts.length).toBeGreaterThan(0);
      // The repository may lie where none of them can enter.
      const binaries = await copyBinaries(locateBinaries(), scratch.folder);
      for (const as of accounts) {
        const place = await findPlace(scratch.data(`as-${as.name}`));
        await makeCluster({ place, binaries, launcher: { kind, as } }, false);
        expect(await readFile(join(place.cluster, "PG_VERSION"), "utf8")).toBe("18\n");
        expect((await stat(place.cluster)).uid).toBe(kind === "user" ? as.uid : 0);
      }
    },
  );

  test("a project and its data in a folder that others cannot enter work", async ({ scratch }) => {
    const secret = await privateFolder(scratch, "secret");
    const project = await ownProject(join(secret, "project"));
    const data = scratch.data("secret/data");
    const visitor = await scratch.visitor("stay", { data }, { project });
    await visitor.says("open");
    await visitor.leave();
    // A second process finds what the first one made.
    const again = await scratch.visitor("stay", { data }, { project });
    expect(await again.says("progress")).toBe(`progress Starting PostgreSQL in ${data}`);
    await again.leave();
  });

  test("without namespaces an unprivileged user runs it, and the cluster stays in a folder he can reach", async ({
    scratch,
  }) => {
    const data = scratch.data();
    const database = await scratch.open({ data, launcher: "user" });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    expect(await linkedHome(data)).toBeUndefined();
    expect((await stat(join(data, "postgres"))).uid).toBe(account.uid);
    await database.sql`create table kept ()`;
    await database.close();

    // Later starts keep to the owner of the files, whatever else would work.
    const later = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    expect(await later.sql`select count(*)::int from kept`).toEqual([{ count: 0 }]);
    await later.close();
  });

  test("without namespaces a project and data that he cannot reach are served from /var/lib/pawl", async ({
    scratch,
  }) => {
    const secret = await privateFolder(scratch, "secret");
    const project = await ownProject(join(secret, "project"));
    const data = scratch.data("secret/data");
    removeLinkedHome(scratch, data);

    const visitors = await Promise.all(
      [1, 2].map(() => scratch.visitor("stay", { data, launcher: "user" }, { project })),
    );
    for (const visitor of visitors) await visitor.says("open");
    expect(await linkedHome(data)).toMatch(/^\/var\/lib\/pawl\/[0-9a-f]{16}$/);
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    for (const visitor of visitors) await visitor.leave();
    expect(await serverOf(data)).toBeUndefined();

    const later = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    await later.close();
  });

  test("data in a private folder of another user is served without his help", async ({ scratch }) => {
    const home = await privateFolder(scratch, "home");
    await chown(home, account.uid, account.gid);
    const data = scratch.data("home/data");
    removeLinkedHome(scratch, data);
    const database = await scratch.open({ data });
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await database.close();
  });

  test("a user's cluster is run as that user, and he can go on with it", async ({ scratch }) => {
    const data = await dataOfUser(scratch);
    const visitor = await scratch.visitor("stay", { data }, account);
    await visitor.says("open");
    const joined = await scratch.open({ data });
    await visitor.leave();
    expect(await joined.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await joined.close();

    const started = await scratch.open({ data });
    expect(await uidOf(await serverOf(data))).toBe(account.uid);
    await started.close();
    const again = await scratch.visitor("stay", { data }, account);
    await again.says("open");
    await again.leave();
  });
});

describe.runIf(IS_ROOT)(
  "as an ordinary user (root starts a process of his; without root all other tests show it)",
  () => {
    test("PostgreSQL runs as he, and only he can enter the socket's folder", async ({ scratch }) => {
      const data = await dataOfUser(scratch);
      const visitor = await scratch.visitor("stay", { data }, account);
      const url = (await visitor.says("open")).slice("open ".length);
      expect(await uidOf(await serverOf(data))).toBe(account.uid);
      const folder = await stat(new URL(url).searchParams.get("host") ?? "");
      expect([folder.uid, (folder.mode & 0o777).toString(8)]).toEqual([account.uid, "700"]);
      await visitor.leave();
      expect(await serverOf(data)).toBeUndefined();
    });

    test("data of root's is not his to open", async ({ scratch }) => {
      const data = scratch.data("of-root");
      const database = await scratch.open({ data });
      const visitor = await scratch.visitor("stay", { data }, account);
      expect(await visitor.ended).toBe(1);
      expect(visitor.lines.at(-1)).toMatch(
        /^failed DATABASE_UNUSABLE .* cannot be (written|read) by this user; /,
      );
      await database.close();
    });

    test("a lock file whose process id now belongs to a program of root's does not keep the server down", async ({
      scratch,
    }) => {
      const data = await dataOfUser(scratch);
      const first = await scratch.visitor("stay", { data }, account);
      const socketFolder = new URL((await first.says("open")).slice("open ".length)).searchParams.get("host");
      await first.leave();
      // As after a crash of the machine; of process 1 he may not know where it works.
      const cluster = join(data, "postgres/cluster");
      const lock = join(cluster, "postmaster.pid");
      await writeFile(lock, `1\n${cluster}\n1\n5432\n${String(socketFolder)}\n\n\nready\n`, { mode: 0o600 });
      await mkdir(String(socketFolder), { mode: 0o700 });
      const socketLock = join(String(socketFolder), ".s.PGSQL.5432.lock");
      await writeFile(socketLock, "1\n", { mode: 0o600 });
      for (const path of [lock, String(socketFolder), socketLock])
        await chown(path, account.uid, account.gid);

      const visitor = await scratch.visitor("stay", { data }, account);
      await visitor.says("open");
      expect(await uidOf(await serverOf(data))).toBe(account.uid);
      await visitor.leave();
    });

    test("a package that he cannot write and whose install script never ran is copied into the data", async ({
      scratch,
    }) => {
      const data = await dataOfUser(scratch);
      const project = await ownProject(join(scratch.folder, "copy"));
      await unhydrate(project);
      const visitor = await scratch.visitor("stay", { data }, { project, ...account });
      await visitor.says("open");
      expect(existsSync(join(copiedBinaries(project), "lib/libpq.so.5"))).toBe(false);
      await visitor.leave();
    });
  },
);

test.runIf(process.platform === "linux")(
  "a package whose install script never ran is mended in place, also by several processes at once",
  async ({ scratch }) => {
    const project = await ownProject(join(scratch.folder, "copy"));
    await unhydrate(project);
    const visitors = await Promise.all(
      ["a", "b", "c"].map((name) => scratch.visitor("stay", { data: scratch.data(name) }, { project })),
    );
    for (const visitor of visitors) await visitor.says("open");
    for (const visitor of visitors) await visitor.leave();
    expect(existsSync(join(copiedBinaries(project), "lib/libpq.so.5"))).toBe(true);
  },
);

async function privateFolder(scratch: Scratch, name: string): Promise<string> {
  const folder = join(scratch.folder, name);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** A data folder in a home of an ordinary user's. */
async function dataOfUser(scratch: Scratch): Promise<string> {
  const home = await privateFolder(scratch, "home");
  await chown(home, account.uid, account.gid);
  return scratch.data("home/data");
}

/** A project in a folder of its own, with packages that may be changed. */
async function ownProject(folder: string): Promise<string> {
  await mkdir(folder);
  return copyProject(folder, "copied");
}

/** Makes a package look as npm leaves it when it runs no install scripts, and as a careless unpacker does. */
async function unhydrate(project: string): Promise<void> {
  const native = copiedBinaries(project);
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const { target } of links) await rm(join(native, "..", target), { force: true });
  for (const program of ["initdb", "pg_ctl", "postgres"]) await chmod(join(native, "bin", program), 0o644);
}

/** Where the cluster had to be put elsewhere, it is not in the scratch. */
function removeLinkedHome(scratch: Scratch, data: string): void {
  scratch.cleanUp(async () => {
    const home = await linkedHome(data);
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
