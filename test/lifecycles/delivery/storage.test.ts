import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readVerified } from "../../../src/lifecycles/delivery/worker/read-verified.ts";
import { localStorage } from "../../../src/lifecycles/delivery/worker/storage/local-storage.ts";
import { s3Storage } from "../../../src/lifecycles/delivery/worker/storage/s3-storage.ts";
import type { Storage } from "../../../src/lifecycles/delivery/worker/storage/storage.ts";
import { closed, listening } from "./stand-ins/yandex-disk.ts";
import { openBotApi, BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import type { Content } from "./stand-ins/content.ts";
import type { FaultPlan, InjectedFault } from "./stand-ins/fault-plan.ts";
import { BUCKET, openS3, S3_KEYS, S3_REGION } from "./stand-ins/s3.ts";
import { codeOf, FOLDER, listed, openLibrary } from "./test-library.ts";
import { Sender } from "../../../src/lifecycles/delivery/worker/sender.ts";

const { disk, storage: yandex } = await openLibrary({ retryTimeoutMs: 1_500 });
const s3 = await openS3();
const root = await mkdtemp(join(tmpdir(), "pawl-library-"));
await mkdir(join(root, "library"));
await writeFile(join(root, "library/.hidden"), "no");
await writeFile(join(root, "secret.txt"), "a secret");
await symlink(join(root, "secret.txt"), join(root, "library/link.txt"));
await symlink(root, join(root, "library/out"));
afterAll(async () => {
  await s3.close();
  await rm(root, { recursive: true });
});

const signal = new AbortController().signal;
const local = localStorage(join(root, "library"));
const bucket = (changes: Partial<Parameters<typeof s3Storage>[0]> = {}) =>
  s3Storage({
    ...S3_KEYS,
    endpoint: s3.url,
    region: S3_REGION,
    bucket: BUCKET,
    folder: "library",
    retryTimeoutMs: 1_500,
    ...changes,
  });

/** A storage with the folder `library`, and a way to put files into it. */
type Implementation = {
  storage: Storage;
  filePath: (inside: string) => string;
  folderPath: (inside: string) => string;
  put: (inside: string, content: Content) => Promise<unknown>;
  /** Faults of a server; requests that describe a file, and that read its bytes. */
  server?: { faults: FaultPlan; meta: string; bytes: string; invalidKeys: InjectedFault[] };
};

const IMPLEMENTATIONS: Record<string, Implementation> = {
  local: {
    storage: local,
    filePath: (inside) => inside,
    folderPath: (inside) => inside,
    put: async (inside, content) => {
      const path = join(root, "library", inside);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.concat([...content.read(0)]));
    },
  },
  "yandex-disk": {
    storage: yandex,
    filePath: (inside) => `${FOLDER}/${inside}`,
    folderPath: (inside) => `${FOLDER}/${inside}`,
    put: (inside, content) => Promise.resolve(disk.put(`${FOLDER}/${inside}`, content)),
    server: {
      faults: disk.faults,
      meta: "meta",
      bytes: "bytes",
      // Also after a refresh.
      invalidKeys: [
        { kind: "status", status: 401 },
        { kind: "status", status: 401 },
      ],
    },
  },
  s3: {
    storage: bucket(),
    filePath: (inside) => `library/${inside}`,
    folderPath: (inside) => `library/${inside}/`,
    put: (inside, content) => Promise.resolve(s3.put(`library/${inside}`, content)),
    server: {
      faults: s3.faults,
      meta: "head",
      bytes: "bytes",
      invalidKeys: [{ kind: "status", status: 403, body: { code: "InvalidAccessKeyId" } }],
    },
  },
};

async function contentOf(storage: Storage, path: string): Promise<Buffer> {
  const file = await storage.open(path, signal);
  const parts: Uint8Array[] = [];
  const reading = { signal, onBytes: () => undefined, beforeLast: () => Promise.resolve() };
  for await (const part of readVerified(file, reading)) parts.push(part);
  await file.close();
  return Buffer.concat(parts);
}

describe.each(Object.entries(IMPLEMENTATIONS))("%s storage", (_, implementation) => {
  const { storage, filePath, folderPath, put } = implementation;

  test("lists folders and files with sizes, and reads them", async () => {
    await put("Книги/а.txt", bytes("один"));
    expect(await listed(storage, null)).toContainEqual({
      kind: "folder",
      name: "Книги",
      path: folderPath("Книги"),
      size: null,
      revision: null,
    });
    expect(await listed(storage, folderPath("Книги"))).toEqual([
      {
        kind: "file",
        name: "а.txt",
        path: filePath("Книги/а.txt"),
        size: 8,
        revision: expect.any(String) as string,
      },
    ]);
    expect((await contentOf(storage, filePath("Книги/а.txt"))).toString()).toBe("один");
  });

  test("reports a missing file, and a folder opened as a file, as not found", async () => {
    await put("Папка/a.txt", bytes("a"));
    expect(await codeOf(storage.open(filePath("нет.txt"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(storage.open(folderPath("Папка"), signal))).toBe("FILE_NOT_FOUND");
    expect(await codeOf(listed(storage, folderPath("нет")))).toBe("FILE_NOT_FOUND");
  });

  test("keeps names with any characters apart", async () => {
    const names = [
      "a b.txt",
      "a+b.txt",
      "a%20b.txt",
      "q?#&=;.txt",
      "it's (1)!*.txt",
      "<&quot;>.txt",
      "😀 ё.txt",
    ];
    for (const name of names) await put(`Имена/${name}`, bytes(`contents of ${name}`));
    const entries = await listed(storage, folderPath("Имена"));
    expect(entries.map(({ name }) => name).sort()).toEqual([...names].sort());
    for (const { name, path } of entries)
      expect((await contentOf(storage, path)).toString()).toBe(`contents of ${name}`);
  });

  test("lists a folder of several pages completely", async () => {
    for (let number = 0; number < 2_100; number++) await put(`Много/${number}.txt`, bytes("x"));
    const entries = await listed(storage, folderPath("Много"));
    expect(new Set(entries.map(({ name }) => name)).size).toBe(2_100);
    expect(entries).toHaveLength(2_100);
  });

  test("reads from any position; an empty file has no bytes", async () => {
    const content = generated(700_001, 3);
    const whole = Buffer.concat([...content.read(0)]);
    await put("large.bin", content);
    await put("empty.txt", bytes(""));
    const file = await storage.open(filePath("large.bin"), signal);
    expect(file.size).toBe(700_001);
    for (const from of [0, 1, 600_000, 700_000]) {
      const parts: Uint8Array[] = [];
      for await (const part of file.read(from, signal)) parts.push(part);
      expect(Buffer.concat(parts).equals(whole.subarray(from)), String(from)).toBe(true);
    }
    await file.close();
    await file.close();
    expect(await contentOf(storage, filePath("empty.txt"))).toHaveLength(0);
  });

  test("a changed file has another revision, the same in the list and when it is opened", async () => {
    const revisions = async () => {
      const file = await storage.open(filePath("Версии/a.txt"), signal);
      await file.close();
      return [(await listed(storage, folderPath("Версии")))[0]?.revision, file.revision];
    };
    await put("Версии/a.txt", bytes("one"));
    const [listedBefore, openedBefore] = await revisions();
    expect(listedBefore).toBe(openedBefore);
    await put("Версии/a.txt", bytes("another"));
    const [listedAfter, openedAfter] = await revisions();
    expect(listedAfter).toBe(openedAfter);
    expect(openedAfter).not.toBe(openedBefore);
  });
});

const SERVERS = Object.entries(IMPLEMENTATIONS).flatMap(([name, { server, ...implementation }]) =>
  server ? [[name, { ...implementation, server }] as const] : [],
);
const status = (code: number, headers: Record<string, string> = {}): InjectedFault => ({
  kind: "status",
  status: code,
  headers,
});

describe.each(SERVERS)("%s storage with faults", (name, { storage, put, filePath, server }) => {
  // A fault that occurs once while bytes are read, and the outcome.
  test.each<[InjectedFault, string]>([
    [{ kind: "reset", after: 400_000 }, "success"],
    [{ kind: "stall", after: 400_000 }, "success"],
    [status(500), "success"],
    [status(429, { "retry-after": "7" }), "RATE_LIMITED"],
    [{ kind: "short" }, "CORRUPTED"],
    [{ kind: "garbled" }, "CORRUPTED"],
    [status(404), "FILE_NOT_FOUND"],
  ])("bytes with the fault %o: %s", async (fault, outcome) => {
    const { size } = generated(900_000, 9);
    await put("faulty.bin", generated(900_000, 9));
    server.faults.plan(server.bytes, fault);
    const read = contentOf(storage, filePath("faulty.bin"));
    expect(await codeOf(read)).toBe(outcome);
    if (outcome === "success") expect(await read).toHaveLength(size);
  });

  test.each<[InjectedFault, string]>([
    [{ kind: "reset" }, "NETWORK_RESET"],
    [{ kind: "stall" }, "NETWORK_TIMEOUT"],
    [status(503), "STORAGE_UNAVAILABLE"],
    [status(429), "RATE_LIMITED"],
    [status(404), "FILE_NOT_FOUND"],
  ])("open and list with the fault %o: %s", async (fault, code) => {
    await put("faulty.txt", bytes("x"));
    server.faults.plan(server.meta, fault);
    expect(await codeOf(storage.open(filePath("faulty.txt"), signal))).toBe(code);
    server.faults.plan("list", fault);
    expect(await codeOf(listed(storage, null))).toBe(code);
  });

  test("an aborted read ends with the reason", async () => {
    await put("abort.bin", generated(5_000_000, 5));
    const stop = new AbortController();
    const file = await storage.open(filePath("abort.bin"), stop.signal);
    const reading = { signal: stop.signal, onBytes: () => undefined, beforeLast: () => Promise.resolve() };
    const read = async () => {
      for await (const part of readVerified(file, reading))
        if (part.length > 0) stop.abort(new Error("stop"));
    };
    await expect(read()).rejects.toThrow("stop");
    await file.close();
  });

  test("errors have no path and no secret", async () => {
    server.faults.plan(server.meta, status(409));
    const error = await storage.open(filePath("faulty.txt"), signal).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("storage:");
    expect(String(error)).not.toMatch(/secret|faulty/);
  });

  test("a denied file differs from rejected keys", async () => {
    server.faults.plan(server.meta, status(403));
    // The answer to HEAD has no reason, so S3 is asked a second time.
    if (name === "s3") server.faults.plan(server.bytes, status(403));
    expect(await codeOf(storage.open(filePath("faulty.txt"), signal))).toBe("ACCESS_DENIED");
  });

  test("rejected keys are reported as such", async () => {
    server.faults.plan("list", ...server.invalidKeys);
    expect(await codeOf(listed(storage, null))).toBe("SOURCE_TOKEN_INVALID");
  });
});

describe("s3 storage", () => {
  test("rejected keys are noticed when a file is opened, although HEAD has no reason", async () => {
    s3.put("library/one.txt", bytes("1"));
    const open = (changes: Parameters<typeof bucket>[0]) =>
      codeOf(bucket(changes).open("library/one.txt", signal));
    expect(await open({ secretAccessKey: "wrong" })).toBe("SOURCE_TOKEN_INVALID");
    expect(await open({ accessKeyId: "unknown" })).toBe("SOURCE_TOKEN_INVALID");
    expect(await open({ bucket: "other-bucket" })).toBe("FILE_NOT_FOUND");
    expect(await open({})).toBe("success");
  });

  test.each(["secret.txt", "library/../secret.txt", "library/./one.txt", "../one.txt"])(
    "the path %s cannot leave the folder",
    async (path) => {
      s3.put("secret.txt", bytes("a secret"));
      expect(await codeOf(bucket().open(path, signal))).toBe("ACCESS_DENIED");
    },
  );

  test("a replaced object is not joined from two versions", async () => {
    s3.put("library/changing.bin", generated(900_000, 1));
    s3.faults.plan("bytes library/changing.bin", { kind: "reset", after: 400_000 });
    const file = await bucket().open("library/changing.bin", signal);
    s3.put("library/changing.bin", generated(900_000, 2));
    const reading = { signal, onBytes: () => undefined, beforeLast: () => Promise.resolve() };
    const read = async () => {
      for await (const part of readVerified(file, reading)) expect(part.length).toBeGreaterThan(0);
    };
    expect(await codeOf(read())).toBe("CORRUPTED");
  });

  test("markers of folders and keys without a name are skipped", async () => {
    s3.put("library/marked/", bytes(""));
    s3.put("library/marked/a.txt", bytes("a"));
    s3.put("library/marked//b.txt", bytes("b"));
    s3.put("library/marked/../c.txt", bytes("c"));
    expect((await listed(bucket(), "library/marked/")).map(({ name }) => name)).toEqual(["a.txt"]);
    s3.put("library/nothing yet/", bytes(""));
    expect(await listed(bucket(), "library/nothing yet/")).toEqual([]);
  });

  test("the page of a proxy does not pass for an empty folder", async () => {
    const { server, url } = await listening((_, response) => response.end("<html>Please log in</html>"));
    expect(await codeOf(listed(bucket({ endpoint: url }), null))).toBe("STORAGE_UNAVAILABLE");
    await closed(server);
  });
});

test.each(["link.txt", "out/secret.txt", "../secret.txt", "Книги/../../secret.txt"])(
  "the local path %s cannot leave the folder",
  async (path) => {
    await IMPLEMENTATIONS.local!.put("Книги/а.txt", bytes("один"));
    expect(await codeOf(local.open(path, signal))).toBe("ACCESS_DENIED");
  },
);

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

test("a large file is read in chunks of bounded size, despite interruptions", async () => {
  const { sha256 } = disk.put(`${FOLDER}/large.bin`, generated(20_000_003, 7));
  disk.faults.plan(
    `bytes ${FOLDER}/large.bin`,
    { kind: "reset", after: 5_000_001 },
    { kind: "reset", after: 9_000_000 },
  );
  const file = await yandex.open(`${FOLDER}/large.bin`, signal);
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

test("Telegram's own Bot API server accepts 50 MB, other servers 2000 MB; larger files are refused", async () => {
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
  expect(refusal(telegram.url, 2_000 * 1024 * 1024)).toBeNull();
  expect(refusal(telegram.url, 2_000 * 1024 * 1024 + 1)).toContain("larger than 2000 MB");
  await telegram.close();
});
