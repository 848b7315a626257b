import { expect, test } from "vitest";
import type { Route } from "../../../src/api/index.ts";
import { DELIVERY_ROUTES } from "../../../src/lifecycles/delivery/api.ts";
import { fileIdOf } from "../../../src/lifecycles/delivery/file-id.ts";
import { outcomeOf } from "../../http/test-server.ts";
import { until } from "../../support/until.ts";
import { openLibrary, untilFinished } from "./test-library.ts";
import { bytes } from "./stand-ins/content.ts";

const library = await openLibrary();
const { ask, bot, adminCalls, worker, disk, addFile, addReader, tap } = library;

const tokens: Record<string, string | null> = {
  admin: library.admin,
  bot: library.tokens.bot,
  worker: library.tokens.worker,
  agent: await library.member({ id: "agent", kind: "agent", roles: ["agent"] }),
  viewer: await library.member({ id: "viewer", roles: ["viewer"] }),
  out: await library.member({ id: "out", roles: ["agent"], project_ids: ["elsewhere"] }),
  anonymous: null,
};
const { file_id } = await addFile("a.txt", bytes("a"));
await addReader("1");
let nonces = 0;
const CREATE: Record<string, () => Promise<string>> = {
  job: async () => (await tap("1", file_id)).id,
  user: async () => {
    const id = String(900 + nonces++);
    await bot.requestDeliveryAccess({ id, name: "Somebody" });
    return id;
  },
  notice: async () => {
    await bot.requestDeliveryAccess({ id: String(900 + nonces++), name: "Somebody" });
    return (await bot.takeDeliveryNotices({ limit: 1 })).notices[0]!.id;
  },
};
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";
const tapBody = { user_id: "1", file_id, chat_id: "1" };
const jobs = "/api/delivery/jobs";
const users = "/api/delivery/users";
const files = "/api/delivery/files";
const storageToken = "/api/delivery/storage-tokens/of-settings";
const page = { scan: "s", entries: [], last: false };
const outage = { side: "telegram", code: "TELEGRAM_UNAVAILABLE", reason: "no answer" };
const beat = { worker: { id: "w", concurrency: 2 }, jobs: [] };

type Row = [who: string, what: string, body: unknown, answer: string];
const TABLE: Row[] = [
  ["bot", `POST ${jobs}`, { ...tapBody, request_nonce: "n1" }, "201"],
  ["bot", `POST ${jobs}`, { ...tapBody, request_nonce: "n1" }, "200"],
  ["agent", `POST ${jobs}`, { ...tapBody, request_nonce: "n2", project_id: "nowhere" }, "404 NOT_FOUND"],
  ["bot", `POST ${jobs}`, { ...tapBody }, "422 VALIDATION_ERROR"],
  ["bot", `POST ${jobs}`, { ...tapBody, request_nonce: "a\u0000" }, "422 VALIDATION_ERROR"],
  ["viewer", `POST ${jobs}`, { ...tapBody }, "403 FORBIDDEN"],
  ["anonymous", `POST ${jobs}`, { ...tapBody, request_nonce: "n3" }, "401 INVALID_TOKEN"],
  ["viewer", `GET ${jobs}?status=QUEUED,FAILED&user_id=1&limit=1`, undefined, "200"],
  ["viewer", `GET ${jobs}?status=LOST`, undefined, "422 VALIDATION_ERROR"],
  ["viewer", `GET ${jobs}?project_id=nowhere`, undefined, "404 NOT_FOUND"],
  ["viewer", `GET ${jobs}/{job}`, undefined, "200"],
  ["out", `GET ${jobs}/{job}`, undefined, "404 TASK_NOT_FOUND"],
  ["viewer", `GET ${jobs}/no-uuid`, undefined, "404 TASK_NOT_FOUND"],
  ["bot", `POST ${jobs}/{job}/transitions`, { action: "cancel", payload: { user_id: "1" } }, "200"],
  ["bot", `POST ${jobs}/{job}/transitions`, { action: "cancel", payload: { user_id: "2" } }, "403 FORBIDDEN"],
  ["admin", `POST ${jobs}/{job}/transitions`, { action: "cancel" }, "200"],
  ["viewer", `POST ${jobs}/{job}/transitions`, { action: "cancel", payload: 7 }, "403 FORBIDDEN"],
  [
    "worker",
    `POST ${jobs}/{job}/transitions`,
    { action: "deliver", lease_token: UNKNOWN },
    "422 VALIDATION_ERROR",
  ],
  ["worker", `POST ${jobs}/{job}/transitions`, { action: "start_download" }, "422 LEASE_TOKEN_REQUIRED"],
  [
    "worker",
    `POST ${jobs}/{job}/transitions`,
    { action: "start_download", lease_token: UNKNOWN },
    "409 LEASE_LOST",
  ],
  [
    "admin",
    `POST ${jobs}/{job}/transitions`,
    { action: "cancel", expected_row_version: 9 },
    "409 VERSION_CONFLICT",
  ],
  [
    "out",
    `POST ${jobs}/{job}/transitions`,
    { action: "cancel", payload: { user_id: "1" } },
    "404 TASK_NOT_FOUND",
  ],
  ["viewer", "GET /api/delivery/status", undefined, "200"],

  ["admin", `GET ${users}?status=PENDING,ACTIVE`, undefined, "200"],
  ["agent", `GET ${users}`, undefined, "403 FORBIDDEN"],
  ["worker", `GET ${users}`, undefined, "403 FORBIDDEN"],
  ["bot", `POST ${users}`, { id: "800", name: "New" }, "201"],
  ["bot", `POST ${users}`, { id: "800", name: "New" }, "200"],
  ["agent", `POST ${users}`, { id: "801" }, "403 FORBIDDEN"],
  ["bot", `POST ${users}`, { id: "801" }, "422 VALIDATION_ERROR"],
  ["bot", `GET ${users}/{user}`, undefined, "200"],
  ["agent", `GET ${users}/{user}`, undefined, "403 FORBIDDEN"],
  ["bot", `GET ${users}/unknown`, undefined, "404 NOT_FOUND"],
  ["bot", `GET ${users}/%00`, undefined, "404 NOT_FOUND"],
  ["admin", `POST ${users}/{user}/approve`, { days: 1 }, "200"],
  ["worker", `POST ${users}/{user}/approve`, {}, "403 FORBIDDEN"],
  ["admin", `POST ${users}/{user}/approve`, { days: -1 }, "422 VALIDATION_ERROR"],
  ["admin", `POST ${users}/unknown/approve`, {}, "404 NOT_FOUND"],
  ["admin", `POST ${users}/1/extend`, {}, "200"],
  ["admin", `POST ${users}/{user}/extend`, {}, "409 USER_NOT_ACTIVE"],
  ["agent", `POST ${users}/1/extend`, {}, "403 FORBIDDEN"],
  ["admin", `POST ${users}/unknown/extend`, {}, "404 NOT_FOUND"],
  ["bot", `POST ${users}/{user}/block`, {}, "200"],
  ["agent", `POST ${users}/{user}/block`, {}, "403 FORBIDDEN"],
  ["bot", `POST ${users}/unknown/block`, {}, "404 NOT_FOUND"],

  ["bot", `GET ${files}`, undefined, "200"],
  ["worker", `GET ${files}?q=A.TXT`, undefined, "200"],
  ["agent", `GET ${files}`, undefined, "403 FORBIDDEN"],
  ["bot", `GET ${files}?folder_id=${file_id}`, undefined, "404 NOT_FOUND"],
  ["bot", `POST ${files}`, page, "204"],
  ["agent", `POST ${files}`, page, "403 FORBIDDEN"],
  ["bot", `POST ${files}`, { ...page, last: 1 }, "422 VALIDATION_ERROR"],
  ["worker", `GET ${files}/${file_id}/source`, undefined, "200"],
  ["agent", `GET ${files}/${file_id}/source`, undefined, "403 FORBIDDEN"],
  ["worker", `GET ${files}/nothing/source`, undefined, "404 NOT_FOUND"],
  ["worker", `DELETE ${files}/${file_id}/cached/x`, undefined, "204"],
  ["agent", `DELETE ${files}/${file_id}/cached/x`, undefined, "403 FORBIDDEN"],

  ["worker", "POST /api/delivery/progress", beat, "200"],
  ["agent", "POST /api/delivery/progress", beat, "403 FORBIDDEN"],
  ["worker", "POST /api/delivery/progress", { ...beat, jobs: [{}] }, "422 VALIDATION_ERROR"],
  ["worker", "POST /api/delivery/recover", undefined, "200"],
  ["agent", "POST /api/delivery/recover", undefined, "403 FORBIDDEN"],
  ["worker", "POST /api/delivery/source/needs-admin", { reason: "why" }, "204"],
  ["agent", "POST /api/delivery/source/needs-admin", { reason: "why" }, "403 FORBIDDEN"],
  ["worker", "GET /api/delivery/outages", undefined, "200"],
  ["agent", "GET /api/delivery/outages", undefined, "403 FORBIDDEN"],
  ["worker", "POST /api/delivery/outages", outage, "200"],
  ["agent", "POST /api/delivery/outages", outage, "403 FORBIDDEN"],
  ["worker", "POST /api/delivery/outages", { ...outage, side: "moon" }, "422 VALIDATION_ERROR"],
  ["worker", "POST /api/delivery/outages/probe", {}, "200"],
  ["agent", "POST /api/delivery/outages/probe", {}, "403 FORBIDDEN"],
  ["worker", "POST /api/delivery/outages/end", { side: "telegram" }, "204"],
  ["agent", "POST /api/delivery/outages/end", { side: "telegram" }, "403 FORBIDDEN"],
  ["bot", "GET /api/delivery/retryable-jobs?since=2026-01-01T00:00:00Z", undefined, "200"],
  ["bot", "GET /api/delivery/retryable-jobs?since=yesterday", undefined, "422 VALIDATION_ERROR"],
  ["worker", "GET /api/delivery/retryable-jobs?since=2026-01-01T00:00:00Z", undefined, "403 FORBIDDEN"],
  ["bot", "POST /api/delivery/notices/take", { limit: 1 }, "200"],
  ["worker", "POST /api/delivery/notices/take", {}, "403 FORBIDDEN"],
  ["bot", "POST /api/delivery/notices/{notice}/settle", undefined, "204"],
  ["bot", `POST /api/delivery/notices/${UNKNOWN}/settle`, undefined, "404 NOT_FOUND"],
  ["worker", `POST /api/delivery/notices/${UNKNOWN}/settle`, undefined, "403 FORBIDDEN"],

  ["worker", `GET ${storageToken}`, undefined, "200"],
  ["agent", `GET ${storageToken}`, undefined, "403 FORBIDDEN"],
  ["bot", `POST ${storageToken}/lock`, { revision: 0, holder: "a" }, "200"],
  ["agent", `POST ${storageToken}/lock`, { revision: 0, holder: "a" }, "403 FORBIDDEN"],
  ["worker", `POST ${storageToken}/save`, { revision: 0, sealed: "x" }, "204"],
  ["worker", `POST ${storageToken}/save`, { revision: 0, sealed: "x" }, "409 VERSION_CONFLICT"],
  ["agent", `POST ${storageToken}/save`, { revision: 0, sealed: "x" }, "403 FORBIDDEN"],
  ["worker", `POST ${storageToken}/save`, { revision: -1, sealed: "x" }, "422 VALIDATION_ERROR"],
  ["worker", `POST ${storageToken}/unlock`, { holder: "a" }, "204"],
  ["agent", `POST ${storageToken}/unlock`, { holder: "a" }, "403 FORBIDDEN"],
];

test.each(TABLE)("%s: %s with %j is %s", async (who, what, body, answer) => {
  let path = what;
  for (const [kind, make] of Object.entries(CREATE))
    if (path.includes(`{${kind}}`)) path = path.replaceAll(`{${kind}}`, await make());
  const reply = await ask(path, { token: tokens[who] ?? null, ...(body === undefined ? {} : { body }) });
  expect(outcomeOf(reply), reply.text).toBe(answer);
});

test("the table has every route of delivery, with all its answers and refusals", () => {
  const missing = Object.values<Route>(DELIVERY_ROUTES).flatMap(
    ({ method, path, replies, refusals = [] }) => {
      const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/? ]+")}(\\?|$)`);
      const seen = TABLE.filter(([, what]) => pattern.test(what)).map(([, , , answer]) => answer);
      return [...Object.keys(replies), ...refusals]
        .filter((want) => !seen.some((answer) => answer.endsWith(want)))
        .map((want) => `${method} ${path}: ${want}`);
    },
  );
  // The tests of the rules cover INVALID_TRANSITION.
  expect(missing).toEqual([`POST ${jobs}/{id}/transitions: INVALID_TRANSITION`]);
});

test("a job has exactly the documented fields, and its title is the file's name", async () => {
  expect(await tap("1", file_id, "on the wire")).toEqual({
    id: expect.any(String) as string,
    project_id: "main",
    status: "QUEUED",
    title: "a.txt",
    user_id: "1",
    file_id,
    chat_id: "1",
    request_nonce: "on the wire",
    attempt: 0,
    worker_id: null,
    heartbeat_at: null,
    stuck: false,
    progress: null,
    last_error: null,
    message_id: null,
    telegram_file_id: null,
    available_at: null,
    row_version: 1,
    created_at: expect.any(String) as string,
    updated_at: expect.any(String) as string,
  });
});

test("concurrent taps with the same nonce, through both routes, get one job", async () => {
  const body = { ...tapBody, request_nonce: "the same" };
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? ask(`POST ${jobs}`, { token: tokens.bot!, body })
        : ask("POST /api/tasks", { token: tokens.bot!, body: { lifecycle: "delivery", ...body } }),
    ),
  );
  expect(new Set(replies.map(({ body: { id } }) => id)).size).toBe(1);
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
});

test("jobs are paged newest first, and members of other projects do not see them", async () => {
  await addReader("2");
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.unshift((await tap("2", file_id)).id);
  const first = await bot.listDeliveryJobs({ user_id: "2", limit: 3 });
  expect(first.jobs.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  const second = await bot.listDeliveryJobs({ user_id: "2", limit: 3, cursor: first.cursor! });
  expect(second).toMatchObject({ cursor: null, jobs: ids.slice(3).map((id) => ({ id })) });
  const { body } = await ask(`GET ${jobs}?user_id=2`, { token: tokens.out! });
  expect(body.jobs).toEqual([]);
});

test("the status has counts of the queue, and workers with their last heartbeat", async () => {
  await worker.reportDeliveryProgress({ worker: { id: "box-1", concurrency: 3 }, jobs: [] });
  const { queue, workers } = await adminCalls.getDeliveryStatus();
  expect(queue.QUEUED).toBeGreaterThan(0);
  const seen = workers.find(({ id }) => id === "box-1");
  expect(seen).toMatchObject({ member_id: "delivery-worker", concurrency: 3 });
  expect(Math.abs(Date.parse(seen!.heartbeat_at) - Date.now())).toBeLessThan(60_000);
});

test("progress is accepted only from the worker that holds the lease", async () => {
  const { id } = await tap("1", file_id);
  await library.sql`update pawl.task set priority = 9 where id = ${id}`;
  const { body } = await ask("POST /api/claims", { token: tokens.worker!, body: { lifecycle: "delivery" } });
  const [{ lease_token }] = body.tasks as [{ lease_token: string }];
  await worker.moveDeliveryJob({ id, action: "start_download", lease_token });
  const progress = { job_id: id, bytes: 5, total_bytes: 10 };
  await worker.reportDeliveryProgress({ ...beat, jobs: [{ ...progress, lease_token: UNKNOWN }] });
  await adminCalls.reportDeliveryProgress({ ...beat, jobs: [{ ...progress, lease_token }] });
  expect((await bot.getDeliveryJob({ id })).progress).toBeNull();
  await worker.reportDeliveryProgress({ ...beat, jobs: [{ ...progress, lease_token }] });
  expect((await bot.getDeliveryJob({ id })).progress).toMatchObject({ bytes: 5, total_bytes: 10 });
  await worker.moveDeliveryJob({ id, action: "release", lease_token });
  expect((await bot.getDeliveryJob({ id })).progress).toBeNull();
});

test("the same decision with the same key extends access once", async () => {
  const once = { id: "1", days: 1, client_event_id: "one tap" };
  const answers = await Promise.all(Array.from({ length: 5 }, () => adminCalls.extendDeliveryUser(once)));
  expect(new Set(answers.map(({ access_until }) => access_until)).size).toBe(1);
});

test("an unsettled notice is offered again; a settled one is not", async () => {
  await bot.requestDeliveryAccess({ id: "990", name: "Waits" });
  const take = async () =>
    (await bot.takeDeliveryNotices({ limit: 100 })).notices.filter(({ params }) => params.user_id === "990");
  const [first] = await take();
  expect(first).toMatchObject({ kind: "access_requested", user_id: null });
  expect(await take()).toEqual([]);
  await library.sql`update pawl.delivery_notice set taken_until = now() - interval '1 second' where id = ${first!.id}`;
  expect(await take()).toEqual([first]);
  await bot.settleDeliveryNotice({ id: first!.id });
  await library.sql`update pawl.delivery_notice set taken_until = null where id = ${first!.id}`;
  expect(await take()).toEqual([]);
});

test("repeated requests for access create one notice, until an admin decides or an hour passes", async () => {
  const ask = () => bot.requestDeliveryAccess({ id: "992", name: "Insists", again: true });
  const noticeCount = async () =>
    (await library.sql`select 1 from pawl.delivery_notice where key like 'request:992:%'`).length;
  for (let times = 0; times < 5; times++) await ask();
  expect(await noticeCount()).toBe(1);
  await library.sql`update pawl.delivery_user set requested_at = now() - interval '61 minutes' where id = '992'`;
  await Promise.all([ask(), ask()]);
  expect(await noticeCount()).toBe(2);
  await adminCalls.approveDeliveryUser({ id: "992" });
  await library.sql`update pawl.delivery_user set access_until = now() where id = '992'`;
  await Promise.all([ask(), ask()]);
  expect(await noticeCount()).toBe(3);
  await adminCalls.blockDeliveryUser({ id: "992" });
});

test("access lasts as long as the project's setting, and expires without any job", async () => {
  await ask("PATCH /api/projects/main", { body: { settings: { delivery: { access_days: 3 } } } });
  await bot.requestDeliveryAccess({ id: "991", name: "Three days" });
  const { access_until } = await adminCalls.approveDeliveryUser({ id: "991" });
  expect(Math.round((Date.parse(access_until!) - Date.now()) / 86_400_000)).toBe(3);
  await library.sql`update pawl.delivery_user set access_until = now() - interval '1 second' where id = '991'`;
  expect((await bot.getDeliveryUser({ id: "991" })).status).toBe("EXPIRED");
  expect((await bot.listDeliveryUsers({ status: ["EXPIRED"] })).users.map(({ id }) => id)).toEqual(["991"]);
});

test("deleting a folder deletes its contents", async () => {
  const entry = (kind: "file" | "folder", path: string) => ({ kind, path, name: path.split("/").at(-1)! });
  const save = (folder: string | null, scan: string, ...entries: ReturnType<typeof entry>[]) =>
    bot.saveDeliveryFiles({ folder, scan, entries, last: true });
  await save(null, "1", entry("folder", "x"), entry("file", "y.txt"));
  await save("x", "1", entry("folder", "x/z"));
  await save("x/z", "1", entry("file", "x/z/deep.txt"));
  expect((await bot.listDeliveryFiles({ q: "deep" })).total).toBe(1);
  await save(null, "2", entry("file", "y.txt"));
  expect((await bot.listDeliveryFiles({ q: "deep" })).total).toBe(0);
  expect((await bot.listDeliveryFiles({})).files.map(({ name }) => name)).toEqual(["y.txt"]);
});

test("if a page lists a path twice, its last entry counts", async () => {
  const entry = (name: string) => ({ kind: "file" as const, path: "twice.txt", name });
  await bot.saveDeliveryFiles({
    folder: null,
    scan: "0",
    entries: [entry("first.txt"), entry("last.txt")],
    last: false,
  });
  const found = await bot.getDeliverySource({ id: fileIdOf("main", "twice.txt") });
  expect(found).toMatchObject({ path: "twice.txt", name: "last.txt" });
});

test("the later of two overlapping scans of a folder wins, whichever ends first", async () => {
  const save = (scan: string, names: string[], last: boolean) =>
    bot.saveDeliveryFiles({
      folder: "both",
      scan,
      entries: names.map((name) => ({ kind: "file" as const, path: `both/${name}`, name })),
      last,
    });
  await bot.saveDeliveryFiles({
    folder: null,
    scan: "0",
    entries: [{ kind: "folder", path: "both", name: "both" }],
    last: false,
  });
  const { files } = await bot.listDeliveryFiles({ q: "both" });
  const shown = async () =>
    (await bot.listDeliveryFiles({ folder_id: files[0]!.id })).files.map(({ name }) => name);
  await save("1", ["old", "stays"], true);
  await save("2", ["old", "stays"], false);
  await save("3", ["stays", "new"], false);
  await save("2", [], true);
  expect(await shown()).toEqual(["new", "old", "stays"]);
  await save("3", [], true);
  expect(await shown()).toEqual(["new", "stays"]);
});

test("a name keeps its spaces, and a job whose file has a blank name is titled by its id", async () => {
  const path = " folder / .txt ";
  const entries = [
    { kind: "file" as const, path, name: " .txt " },
    { kind: "file" as const, path: "\u00a0", name: "\u00a0" },
  ];
  await bot.saveDeliveryFiles({ folder: " folder ", scan: "1", entries, last: false });
  const [spaced, blank] = [fileIdOf("main", path), fileIdOf("main", "\u00a0")];
  expect(await worker.getDeliverySource({ id: spaced })).toMatchObject({ path, name: " .txt " });
  expect((await tap("1", spaced)).title).toBe(".txt");
  expect((await tap("1", blank)).title).toBe(`File ${blank}`);
});

test("a job that waited too long expires, and its user gets a notice", async () => {
  const { id } = await tap("1", file_id);
  await library.engine.sweep({ now: Date.now() + 25 * 3_600_000 });
  expect((await library.job(id)).status).toBe("EXPIRED");
  const owed = await library.sql`select kind from pawl.delivery_notice where key = ${`job_expired:${id}`}`;
  expect(owed).toEqual([{ kind: "job_expired" }]);
});

test("an expired token is refreshed; if that fails, the admins are notified once, until the storage works again", async () => {
  const working = await library.startWorker({ concurrency: 2 });
  let count = 0;
  const delivered = async () => {
    const number = count++;
    const file = await addFile(`token ${number}.txt`, bytes(`token ${number}`));
    return untilFinished(library, (await tap("1", file.file_id)).id);
  };
  const old = disk.tokens();
  disk.setTokens({ access: "another", refresh: old.refresh });
  expect((await delivered()).status).toBe("DELIVERED");
  const fresh = disk.tokens();
  expect(fresh.access).not.toBe("another");
  expect((await adminCalls.getDeliveryStatus()).source).toBeNull();

  disk.setTokens({ access: "changed", refresh: null });
  const failed = [await delivered()];
  const last_error = { code: "SOURCE_TOKEN_INVALID", retryable: false };
  for (const job of failed) expect(job).toMatchObject({ status: "FAILED", last_error });
  const notices =
    await library.sql`select kind, params from pawl.delivery_notice where kind = 'source_needs_admin'`;
  // One from the table above, and one for the job.
  expect(notices).toHaveLength(2);
  expect((await adminCalls.getDeliveryStatus()).source?.reason).toContain("token is invalid");
  // No secrets, paths or texts of the storage are stored or logged.
  expect(JSON.stringify([failed, notices, library.logged])).not.toMatch(
    /refresh-\d|access-\d|disk:\/|the-app-secret/,
  );

  disk.setTokens(fresh);
  expect((await delivered()).status).toBe("DELIVERED");
  await until(async () => (await adminCalls.getDeliveryStatus()).source === null);
  await working.stop();
});
