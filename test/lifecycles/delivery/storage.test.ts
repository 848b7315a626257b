import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DeliveryFault } from "../../../src/lifecycles/delivery/worker/faults.ts";
import { readVerified } from "../../../src/lifecycles/delivery/worker/read-verified.ts";
import { localStorage } from "../../../src/lifecycles/delivery/worker/storage/local-storage.ts";
import type { Entry, Storage } from "../../../src/lifecycles/delivery/worker/storage/storage.ts";
import { yandexDisk } from "../../../src/lifecycles/delivery/worker/storage/yandex-disk.ts";
import { openBotApi, BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import { accountOf, FOLDER, memoryTokenStore } from "./test-library.ts";
import { openYandexDisk } from "./stand-ins/yandex-disk.ts";
import { Sender } from "../../../src/lifecycles/delivery/worker/sender.ts";

const disk = await openYandexDisk();
const root = await mkdtemp(join(tmpdir(), "pawl-library-"));
await mkdir(join(root, "library/Книги"), { recursive: true });
await writeFile(join(root, "library/Книги/а.txt"), "один");
await writeFile(join(root, "library/.hidden"), "no");
await writeFile(join(root, "secret.txt"), "a secret");
await symlink(join(root, "secret.txt"), join(root, "library/link.txt"));
await symlink(root, join(root, "library/out"));
disk.put(`${FOLDER}/Книги/а.txt`, bytes("один"));
afterAll(async () => {
  await disk.close();
  await rm(root, { recursive: true });
});

const signal = new AbortController().signal;
const yandex = (store = memoryTokenStore(), account = accountOf(disk)) =>
  yandexDisk({ ...account, apiUrl: disk.url, folder: FOLDER, retryTimeoutMs: 5_000 }, store);
const local = localStorage(join(root, "library"));

async function listed(storage: Storage, folder: string | null): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const page of storage.list(folder, signal)) found.push(...page);
  return found;
}

async function contentOf(storage: Storage, path: string): Promise<string> {
  const file = await storage.open(path, signal);
  const parts: Uint8Array[] = [];
  const reading = { signal, onBytes: () => undefined, beforeLast: () => Promise.resolve() };
  for await (const part of readVerified(file, reading)) parts.push(part);
  await file.close();
  return Buffer.concat(parts).toString();
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "success",
    (error: unknown) => (error instanceof DeliveryFault ? error.code : String(error)),
  );

describe.each([
  ["local", () => local, null],
  ["yandex-disk", () => yandex(), FOLDER],
] as const)("%s storage", (_, open, home) => {
  const path = (inside: string) => (home === null ? inside : `${home}/${inside}`);

  test("lists folders and files with sizes, and reads them", async () => {
    expect(await listed(open(), null)).toMatchObject([
      { kind: "folder", name: "Книги", path: path("Книги"), size: null },
    ]);
    const [file] = await listed(open(), path("Книги"));
    expect(file).toMatchObject({
      kind: "file",
      name: "а.txt",
      size: 8,
      revision: expect.any(String) as string,
    });
    expect(await contentOf(open(), path("Книги/а.txt"))).toBe("один");
  });

  test("reports a missing file, and a folder opened as a file, as not found", async () => {
    expect(await codeOf(open().open(path("нет.txt"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(open().open(path("Книги"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(listed(open(), path("нет")))).toBe("FILE_NOT_FOUND");
  });
});

test.each(["link.txt", "out/secret.txt", "../secret.txt", "Книги/../../secret.txt"])(
  "the path %s cannot leave the folder",
  async (path) => {
    expect(await codeOf(local.open(path, signal))).toBe("ACCESS_DENIED");
  },
);

test("a folder of several pages is listed completely", async () => {
  for (let number = 0; number < 1_100; number++) disk.put(`${FOLDER}/Много/${number}.txt`, bytes("x"));
  expect(await listed(yandex(), `${FOLDER}/Много`)).toHaveLength(1_100);
});

test("files deleted while their folder is listed are skipped", async () => {
  const folder = join(root, "library/Уходит");
  await mkdir(folder);
  const names = Array.from({ length: 500 }, (_, number) => `${number}.txt`);
  for (let round = 0; round < 10; round++) {
    for (const name of names) writeFileSync(join(folder, name), "x");
    const listing = codeOf(listed(local, "Уходит"));
    // About as long as the listing takes to read the names.
    await Promise.all([realpath(root), realpath(folder)]);
    for (const name of (await readdir(folder)).reverse()) if (name !== "0.txt") rmSync(join(folder, name));
    expect(await listing).toBe("success");
  }
  expect(await listed(local, "Уходит")).toMatchObject([{ name: "0.txt" }]);
  await rm(folder, { recursive: true });
});

test("refreshed tokens are stored and used by the next process; concurrent requests share one refresh", async () => {
  const store = memoryTokenStore();
  const account = accountOf(disk);
  disk.setTokens({ access: "not the first any more", refresh: account.refreshToken });
  const before = disk.requests.filter((what) => what === "refresh").length;
  const storage = yandex(store, account);
  await Promise.all(Array.from({ length: 5 }, () => listed(storage, null)));
  await listed(yandex(store, account), null);
  expect(disk.requests.filter((what) => what === "refresh")).toHaveLength(before + 1);
  expect(JSON.parse(store.text!)).toMatchObject({ access_token: disk.tokens().access });
});

test("if several processes are refused at once, one refreshes and the others use its tokens", async () => {
  const store = memoryTokenStore();
  const account = accountOf(disk);
  disk.setTokens({ access: "changed since", refresh: account.refreshToken });
  const processes = Array.from({ length: 4 }, () => yandex(store, account));
  const outcomes = await Promise.all(processes.map((storage) => codeOf(listed(storage, null))));
  expect(outcomes).toEqual(processes.map(() => "success"));
});

test("a changed token setting replaces the stored tokens", async () => {
  const store = memoryTokenStore();
  store.text = JSON.stringify({ of: "another pair", access_token: "stale", refresh_token: "stale" });
  expect(await listed(yandex(store), null)).not.toEqual([]);
});

test.each([
  [
    "is refused",
    () => {
      disk.setTokens({ access: "changed", refresh: "used up" });
    },
    "SOURCE_TOKEN_INVALID",
  ],
  [
    "fails with a server error",
    () => {
      disk.faults.plan("refresh", { kind: "status", status: 502 });
    },
    "STORAGE_UNAVAILABLE",
  ],
])("a refresh that %s is %s", async (_, breakRefresh, code) => {
  const account = accountOf(disk);
  const good = disk.tokens();
  disk.setTokens({ ...good, access: "changed" });
  breakRefresh();
  expect(await codeOf(listed(yandex(memoryTokenStore(), account), null))).toBe(code);
  disk.setTokens(good);
});

test("a large file is read in chunks of bounded size, despite interruptions", async () => {
  const { sha256 } = disk.put(`${FOLDER}/large.bin`, generated(20_000_003, 7));
  disk.faults.plan(
    `bytes ${FOLDER}/large.bin`,
    { kind: "reset", after: 5_000_001 },
    { kind: "reset", after: 9_000_000 },
  );
  const file = await yandex().open(`${FOLDER}/large.bin`, signal);
  const hash = createHash("sha256");
  let largest = 0;
  const order: string[] = [];
  const reading = {
    signal,
    onBytes: () => undefined,
    beforeLast: () => {
      order.push("beforeLast");
      return Promise.resolve();
    },
  };
  for await (const part of readVerified(file, reading)) {
    hash.update(part);
    largest = Math.max(largest, part.length);
    if (order.length > 0) order.push("last");
  }
  expect(hash.digest("hex")).toBe(sha256);
  expect(largest).toBeLessThanOrEqual(1_048_576);
  // `beforeLast` is called before the last bytes.
  expect(order).toEqual(["beforeLast", "last"]);
});

test("Telegram's own Bot API server accepts 50 MB, other servers 2 GB; larger files are refused", async () => {
  const telegram = await openBotApi();
  const sender = (apiUrl: string) =>
    new Sender({ botToken: BOT_TOKEN, apiUrl, stallMs: 1_000, answerMs: 1_000 });
  const refusal = (url: string, size: number) => {
    try {
      sender(url).expectSize(size);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal("https://api.telegram.org", 50 * 1024 * 1024)).toBeNull();
  expect(refusal("https://api.telegram.org", 50 * 1024 * 1024 + 1)).toContain("PAWL_TELEGRAM_API_URL");
  expect(refusal(telegram.url, 2 * 1024 ** 3)).toBeNull();
  expect(refusal(telegram.url, 2 * 1024 ** 3 + 1)).toContain("larger than 2 GB");
  await telegram.close();
});
