import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trimLog } from "../../src/postgres/server-log.ts";
import { CAN_MOUNT, fillDisk, smallDisk } from "../support/small-disk.ts";

test.runIf(CAN_MOUNT)(
  "a log that is too long is truncated on a full disk, without keeping the older part",
  async () => {
    const disk = smallDisk();
    const log = join(disk, "server.log");
    await writeFile(log, "x".repeat(20_000));
    const free = fillDisk(disk);
    await trimLog(log, 10_000);
    expect((await stat(log)).size).toBe(0);
    expect((await readdir(disk)).sort()).toEqual(["filler", "server.log"]);
    free();
    await writeFile(log, "y".repeat(20_000));
    await trimLog(log, 10_000);
    expect(await readFile(`${log}.1`, "utf8")).toBe("y".repeat(20_000));
  },
);
