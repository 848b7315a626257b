import { expect, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { DELIVERY_ROUTES } from "../../../src/lifecycles/delivery/api.ts";
import { serverTokenStore } from "../../../src/lifecycles/delivery/worker/storage/server-token-store.ts";
import { yandexDisk } from "../../../src/lifecycles/delivery/worker/storage/yandex-disk.ts";
import { startTestServer } from "../../http/test-server.ts";
import { bytes } from "./stand-ins/content.ts";
import { accountOf, codeOf, FOLDER, listed, openLibrary } from "./test-library.ts";

const library = await openLibrary();
const { disk, sql } = library;
const otherNode = await startTestServer({ parts: {}, sameDatabaseAs: library });

/** A process on a machine of its own: it shares nothing with others but the database. */
function openProcess(account = accountOf(disk), url = library.url) {
  const calls = createClient({ url, token: library.tokens.worker }).calls(DELIVERY_ROUTES);
  const options = { ...account, apiUrl: disk.url, folder: FOLDER, retryTimeoutMs: 5_000 };
  return yandexDisk(options, serverTokenStore(calls));
}

const refreshes = () => disk.requests.filter((what) => what === "refresh").length;
const rows = () => sql`select id, revision, sealed, locked_by from pawl.delivery_storage_token`;

/** Accepts a new pair of tokens, as after a new set up; returns it as the configured account. */
let pairs = 0;
function configure() {
  disk.setTokens({ access: `configured-${++pairs}`, refresh: `first-of-${pairs}-0` });
  return accountOf(disk);
}

disk.put(`${FOLDER}/a.txt`, bytes("a"));

test("several machines refresh an expired token once, and all use the new one", async () => {
  const account = configure();
  disk.setTokens({ access: "expired since", refresh: account.refreshToken });
  const before = refreshes();
  const processes = [library.url, otherNode.url, library.url, otherNode.url].map((url) =>
    openProcess(account, url),
  );
  const outcomes = await Promise.all(
    processes.flatMap((storage) => [codeOf(listed(storage, null)), codeOf(listed(storage, null))]),
  );
  expect(outcomes).toEqual(outcomes.map(() => "success"));
  expect(refreshes()).toBe(before + 1);
  expect(await codeOf(listed(openProcess(account), null))).toBe("success");
  expect(refreshes()).toBe(before + 1);
});

test("a later refresh uses the refresh token of the earlier one", async () => {
  const account = configure();
  for (let round = 0; round < 3; round++) {
    disk.setTokens({ ...disk.tokens(), access: `expired-${round}` });
    expect(await codeOf(listed(openProcess(account), null))).toBe("success");
  }
});

test("the database has no token in clear, and other settings do not use it", async () => {
  const account = configure();
  disk.setTokens({ ...disk.tokens(), access: "expired again" });
  await listed(openProcess(account), null);
  const text = JSON.stringify(await rows());
  for (const secret of [disk.tokens().access, disk.tokens().refresh!, account.accessToken])
    expect(text).not.toContain(secret);
  const changed = { ...account, clientSecret: "another secret" };
  expect(await codeOf(listed(openProcess(changed), null))).toBe("SOURCE_TOKEN_INVALID");
  const other = configure();
  expect(await codeOf(listed(openProcess(other), null))).toBe("success");
});

test("a process that died while it refreshed does not block the others for ever", async () => {
  const account = configure();
  disk.setTokens({ ...disk.tokens(), access: "expired" });
  disk.faults.plan("refresh", { kind: "status", status: 502 });
  expect(await codeOf(listed(openProcess(account), null))).toBe("STORAGE_UNAVAILABLE");
  // The failed refresh has unlocked it.
  expect((await rows()).filter(({ locked_by }) => locked_by !== null)).toEqual([]);
  await sql`update pawl.delivery_storage_token
    set locked_by = 'dead', locked_until = now() + interval '1 minute' where revision = 0`;
  const waiting = codeOf(listed(openProcess(account), null));
  await sql`update pawl.delivery_storage_token set locked_until = now() where locked_by = 'dead'`;
  expect(await waiting).toBe("success");
});

test("a lock is given once, and only for the current revision", async () => {
  const calls = library.worker;
  const lock = (holder: string, revision: number) =>
    calls.lockStorageToken({ id: "locks", holder, revision }).then(({ locked }) => locked);
  expect(await lock("a", 1)).toBe(false);
  const tries = await Promise.all(["a", "b", "c", "d"].map((holder) => lock(holder, 0)));
  expect(tries.filter(Boolean)).toHaveLength(1);
  await calls.saveStorageToken({ id: "locks", revision: 0, sealed: "text" });
  expect(await lock("b", 0)).toBe(false);
  expect(await lock("b", 1)).toBe(true);
  await calls.unlockStorageToken({ id: "locks", holder: "a" });
  expect(await lock("c", 1)).toBe(false);
  await calls.unlockStorageToken({ id: "locks", holder: "b" });
  expect(await lock("c", 1)).toBe(true);
});

test("a refused refresh is SOURCE_TOKEN_INVALID", async () => {
  const account = configure();
  disk.setTokens({ access: "changed", refresh: "used up" });
  expect(await codeOf(listed(openProcess(account), null))).toBe("SOURCE_TOKEN_INVALID");
});
