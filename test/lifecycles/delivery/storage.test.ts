import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DeliveryFault } from "../../../src/lifecycles/delivery/worker/faults.ts";
import { readWhole } from "../../../src/lifecycles/delivery/worker/read-whole.ts";
import { localStorage } from "../../../src/lifecycles/delivery/worker/storage/local-storage.ts";
import type { Entry, Storage } from "../../../src/lifecycles/delivery/worker/storage/storage.ts";
import { yandexDisk } from "../../../src/lifecycles/delivery/worker/storage/yandex-disk.ts";
import { openBotApi, BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import { accountOf, FOLDER, keptInMemory } from "./library-room.ts";
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
const yandex = (store = keptInMemory(), account = accountOf(disk)) =>
  yandexDisk({ ...account, apiUrl: disk.url, folder: FOLDER, patienceMs: 5_000 }, store);
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
  for await (const part of readWhole(file, reading)) parts.push(part);
  await file.close();
  return Buffer.concat(parts).toString();
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "went well",
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

  test("says of what is not there, or no file, that it is not there", async () => {
    expect(await codeOf(open().open(path("нет.txt"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(open().open(path("Книги"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(listed(open(), path("нет")))).toBe("FILE_NOT_FOUND");
  });
});

test.each(["link.txt", "out/secret.txt", "../secret.txt", "Книги/../../secret.txt"])(
  "a folder is not left by %s",
  async (path) => {
    expect(await codeOf(local.open(path, signal))).toBe("ACCESS_DENIED");
  },
);

test("folders of more than a page are listed whole", async () => {
  for (let number = 0; number < 1_100; number++) disk.put(`${FOLDER}/Много/${number}.txt`, bytes("x"));
  expect(await listed(yandex(), `${FOLDER}/Много`)).toHaveLength(1_100);
});

test("a folder from which files go while it is looked through is still there", async () => {
  const place = join(root, "library/Уходит");
  await mkdir(place);
  const names = Array.from({ length: 500 }, (_, number) => `${number}.txt`);
  for (let round = 0; round < 10; round++) {
    for (const name of names) writeFileSync(join(place, name), "x");
    const look = codeOf(listed(local, "Уходит"));
    // Just as far as the look is when it knows their names.
    await Promise.all([realpath(root), realpath(place)]);
    for (const name of (await readdir(place)).reverse()) if (name !== "0.txt") rmSync(join(place, name));
    expect(await look).toBe("went well");
  }
  expect(await listed(local, "Уходит")).toMatchObject([{ name: "0.txt" }]);
  await rm(place, { recursive: true });
});

test("what was refreshed is kept, and used by the next process; many who are refused at once share one refresh", async () => {
  const store = keptInMemory();
  const account = accountOf(disk);
  disk.letIn({ access: "not the first any more", refresh: account.refreshToken });
  const before = disk.asked.filter((what) => what === "refresh").length;
  const storage = yandex(store, account);
  await Promise.all(Array.from({ length: 5 }, () => listed(storage, null)));
  await listed(yandex(store, account), null);
  expect(disk.asked.filter((what) => what === "refresh")).toHaveLength(before + 1);
  expect(JSON.parse(store.text!)).toMatchObject({ access_token: disk.tokens().access });
});

test("of processes that are refused at the same moment one refreshes, and the others find what it got", async () => {
  const store = keptInMemory();
  const account = accountOf(disk);
  disk.letIn({ access: "changed since", refresh: account.refreshToken });
  const processes = Array.from({ length: 4 }, () => yandex(store, account));
  const heard = await Promise.all(processes.map((storage) => codeOf(listed(storage, null))));
  expect(heard).toEqual(processes.map(() => "went well"));
});

test("a token that was set anew goes before what was kept of the old one", async () => {
  const store = keptInMemory();
  store.text = JSON.stringify({ of: "another pair", access_token: "stale", refresh_token: "stale" });
  expect(await listed(yandex(store), null)).not.toEqual([]);
});

test.each([
  [
    "is refused",
    () => {
      disk.letIn({ access: "changed", refresh: "used up" });
    },
    "SOURCE_TOKEN_INVALID",
  ],
  [
    "meets a server that is out of order",
    () => {
      disk.mischief.plan("refresh", { kind: "status", status: 502 });
    },
    "STORAGE_UNAVAILABLE",
  ],
])("a refresh that %s is %s", async (_, spoil, code) => {
  const account = accountOf(disk);
  const good = disk.tokens();
  disk.letIn({ ...good, access: "changed" });
  spoil();
  expect(await codeOf(listed(yandex(keptInMemory(), account), null))).toBe(code);
  disk.letIn(good);
});

test("a large file is read in pieces of bounded size, whatever breaks off in between", async () => {
  const { sha256 } = disk.put(`${FOLDER}/large.bin`, generated(20_000_003, 7));
  disk.mischief.plan(
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
      order.push("asked");
      return Promise.resolve();
    },
  };
  for await (const part of readWhole(file, reading)) {
    hash.update(part);
    largest = Math.max(largest, part.length);
    if (order.length > 0) order.push("last");
  }
  expect(hash.digest("hex")).toBe(sha256);
  expect(largest).toBeLessThanOrEqual(1_048_576);
  // The last bytes come after the question whether they may.
  expect(order).toEqual(["asked", "last"]);
});

test("the cloud's Bot API server takes 50 MB, one of one's own 2 GB, and what is larger is told so", async () => {
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
  expect(refusal("https://api.telegram.org", 50 * 1024 * 1024 + 1)).toContain("TELEGRAM_API_URL");
  expect(refusal(telegram.url, 2 * 1024 ** 3)).toBeNull();
  expect(refusal(telegram.url, 2 * 1024 ** 3 + 1)).toContain("larger than 2 GB");
  await telegram.close();
});
