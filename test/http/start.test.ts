import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { connect as connectDatabase } from "../../src/postgres/connect.ts";
import { configWith, folderWith, pawl } from "../cli/pawl-process.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { outcomeOf } from "./test-server.ts";
import { emptyDatabase, scratchData, startPawl } from "./running-pawl.ts";

const tokenIn = async (data: string) => (await readFile(`${data}/admin-token`, "utf8")).trim();
const TOKEN_FORM = /^pawl_main_[0-9a-f]{48}$/;

test("the first start creates an org, a project, an admin and a token; the second finds them", async () => {
  const data = await scratchData();
  const first = await startPawl(["--data", data, "--port", "0"]);
  expect(first.line).toBe(`Pawl listens on ${first.address}; the new admin token is in ${data}/admin-token`);
  expect(first.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const token = await tokenIn(data);
  expect(token).toMatch(TOKEN_FORM);
  await expect
    .poll(() => first.output())
    .toMatch(/^Sign in within 10 minutes: http:\/\/127\.0\.0\.1:\d+\/sign-in#pawllink_main_/m);
  const [, code = ""] = /#(\S+)/.exec(first.output()) ?? [];
  expect((await first.ask("POST /api/session/code", null, { code })).status).toBe(200);
  expect((await first.ask("POST /api/session/code", null, { code })).status).toBe(410);
  expect(first.log()).not.toContain(code);
  expect((await stat(`${data}/admin-token`)).mode & 0o777).toBe(0o600);
  expect((await first.ask("GET /api/me", token)).body).toMatchObject({
    org_id: "main",
    id: "admin",
    roles: ["admin"],
  });
  expect((await first.ask("GET /api/projects", token)).body.projects).toMatchObject([{ id: "main" }]);
  expect(await first.stop()).toBe(0);

  const second = await startPawl(["--data", data, "--port", "0"]);
  expect(second.line).toBe(`Pawl listens on ${second.address}; the admin token is in ${data}/admin-token`);
  expect(await tokenIn(data)).toBe(token);
  expect((await second.ask("GET /api/me", token)).status).toBe(200);
  expect(await second.stop("SIGINT")).toBe(0);
  // Into a pipe or a file, a link is printed at the very first start only.
  expect(second.output()).not.toContain("Sign in within");
});

test("two nodes that start together on an empty database create one admin, and both accept its token", async () => {
  const env = { DATABASE_URL: await emptyDatabase() };
  const datas = [await scratchData(), await scratchData()];
  const nodes = await Promise.all(datas.map((data) => startPawl(["--data", data, "--port", "0"], { env })));
  const created = nodes.map(({ line }) => line.includes("the new admin token"));
  expect([...created].sort()).toEqual([false, true]);
  const token = await tokenIn(datas[created.indexOf(true)]!);
  for (const node of nodes) expect((await node.ask("GET /api/me", token)).status).toBe(200);
  expect(nodes[created.indexOf(false)]!.line).toContain("`pawl tokens reset-admin`");
});

test("PAWL_ADMIN_TOKEN is the admin's token; a new value replaces it", async () => {
  const env = { DATABASE_URL: await emptyDatabase() };
  const data = await scratchData();
  const start = (token: string) =>
    startPawl(["--data", data, "--port", "0"], { env: { ...env, PAWL_ADMIN_TOKEN: token } });
  const first = await start("an-admin-of-the-test");
  expect(first.line).toContain("the admin token is in PAWL_ADMIN_TOKEN");
  expect((await first.ask("GET /api/me", "an-admin-of-the-test")).status).toBe(200);
  await expect(tokenIn(data)).rejects.toThrow("ENOENT");
  const created = (await first.ask("POST /api/members/admin/tokens", "an-admin-of-the-test")).body;
  await first.stop();
  const second = await start("another-admin-of-the-test");
  const word = async (token: string) => outcomeOf(await second.ask("GET /api/me", token));
  expect(await word("another-admin-of-the-test")).toBe("200");
  expect(await word("an-admin-of-the-test")).toBe("401 INVALID_TOKEN");
  // Tokens that the admin created stay valid.
  expect(await word(String(created.token))).toBe("200");
});

test("a flag overrides the environment, which overrides the file, which overrides the default", async () => {
  const [flag, env, file] = await freePorts(3);
  const DATABASE_URL = await emptyDatabase();
  const config = configWith().replace("lifecycles: [", `port: ${file!}, data: "of-file",\n  lifecycles: [`);
  const cwd = await folderWith({ "pawl.config.ts": config });
  const addressOf = async (args: string[], more: Record<string, string>) => {
    const running = await startPawl(args, { cwd, env: { DATABASE_URL, ...more } });
    await running.stop();
    return running.address;
  };
  expect(await addressOf(["--port", String(flag)], { PAWL_PORT: String(env) })).toBe(
    `http://127.0.0.1:${flag!}`,
  );
  expect(await addressOf([], { PAWL_PORT: String(env) })).toBe(`http://127.0.0.1:${env!}`);
  expect(await addressOf([], { PAWL_PORT: "" })).toBe(`http://127.0.0.1:${file!}`);
  expect((await stat(`${cwd}/of-file/admin-token`)).isFile()).toBe(true);
});

test("a user's lifecycle is served like the built-in ones", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith() });
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: "an-admin-of-the-test" };
  const running = await startPawl(["--port", "0"], { cwd, env });
  await running.ask("PATCH /api/members/admin", "an-admin-of-the-test", { roles: ["admin", "clerk"] });
  const created = await running.ask("POST /api/tasks", "an-admin-of-the-test", {
    lifecycle: "letters",
    title: "Dear Sirs",
  });
  expect(created.body).toMatchObject({ lifecycle: "letters", status: "waiting" });
  const what = `POST /api/tasks/${String(created.body.id)}/transitions`;
  expect((await running.ask(what, "an-admin-of-the-test", { action: "read" })).body).toMatchObject({
    task: { status: "read", assigned_to: "admin" },
  });
});

test("a signal ends a start that waits for a database that never answers", async () => {
  const silent = await silentServer();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const env = { DATABASE_URL: silent.url, PAWL_DATA: await scratchData() };
    const child = spawnStart(env);
    await silent.connected();
    child.kill(signal);
    expect(await once(child, "close")).toEqual([0, null]);
  }
});

test("a signal ends a start that waits for another node to migrate", async () => {
  const DATABASE_URL = await emptyDatabase();
  const sql = connectDatabase(DATABASE_URL, { maxConnections: 1 });
  onTestFinished(() => sql.end());
  await sql`select pg_advisory_lock(731902)`;
  const child = spawnStart({ DATABASE_URL, PAWL_DATA: await scratchData() });
  await expect
    .poll(() => sql`select from pg_locks where locktype = 'advisory' and objid = 731902 and not granted`)
    .toHaveLength(1);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

test("a signal ends a start whose configuration never finishes loading", async () => {
  const cwd = await folderWith({
    "pawl.config.mjs":
      "console.log('loading'); setInterval(() => undefined, 1_000); await new Promise(() => undefined); export default {};",
  });
  const child = spawnStart({}, cwd);
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

test("a signal during the first start stops the embedded PostgreSQL as well", async () => {
  const data = await scratchData();
  const child = spawnStart({ PAWL_DATA: data, PAWL_LOG_LEVEL: "info" });
  await once(child.stderr, "data");
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  await expect(stat(`${data}/postgres/cluster/postmaster.pid`)).rejects.toThrow("ENOENT");
});

test("an unreachable direct address blocks neither start nor stop", async () => {
  const silent = await silentServer();
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_DIRECT_URL: silent.url,
    PAWL_DATA: await scratchData(),
    PAWL_ADMIN_TOKEN: "an-admin-of-the-test",
  };
  const running = await startPawl(["--port", "0"], { env });
  expect((await running.ask("GET /api/me", "an-admin-of-the-test")).status).toBe(200);
  await expect.poll(() => running.log()).toContain("LISTEN failed; falling back to polling");
  // LISTEN is retried.
  await silent.connected();
  expect(await running.stop()).toBe(0);
});

/** Accepts connections and never answers. `connected` resolves with the next connection. */
async function silentServer(): Promise<{ url: string; connected: () => Promise<unknown> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://pawl:hunter2@127.0.0.1:${port}/pawl`,
    connected: () => once(server, "connection"),
  };
}

/** Starts `pawl start` without waiting for it. */
function spawnStart(env: Record<string, string>, cwd = tmpdir()) {
  const child = spawn(process.execPath, [...BUILT_PAWL, "start", "--port", "0"], {
    cwd,
    env: { PATH: process.env.PATH, PAWL_LOG_LEVEL: "warn", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill("SIGKILL");
  });
  return child;
}

test("an invalid setting of one lifecycle is reported and does not affect the others", async () => {
  const wrong = {
    PAWL_DELIVERY_STORAGE: "ftp",
    PAWL_TELEGRAM_BOT_TOKEN: "hunter2",
    PAWL_DELIVERY_LANGUAGE: "xx",
    BOT_ACTION_MAX_PROCESSING_HOURS: "long",
  };
  const env = { ...wrong, DATABASE_URL: await emptyDatabase(), PAWL_DATA: await scratchData() };
  const running = await startPawl(["--port", "0"], { env });
  expect((await pawl(["tasks", "list"], { env })).code).toBe(0);
  const doctor = await pawl(["doctor"], { env });
  expect(doctor.code).toBe(0);
  const worker = await pawl(["delivery", "worker"], { env });
  expect(worker).toMatchObject({ code: 1, stdout: "" });
  for (const report of [running.log(), doctor.stdout, worker.stderr]) {
    expect(report.replaceAll('\\"', '"')).toContain(
      'PAWL_DELIVERY_STORAGE is "ftp", not one of local, yandex-disk, s3',
    );
    expect(report).toContain("PAWL_TELEGRAM_BOT_TOKEN is not a token");
    expect(report).toContain("PAWL_DELIVERY_LANGUAGE is");
    expect(report).not.toContain("hunter2");
  }
  for (const report of [running.log(), doctor.stdout])
    expect(report).toContain("BOT_ACTION_MAX_PROCESSING_HOURS is");
  expect(await running.stop()).toBe(0);
});

test("several mistakes are reported together", async () => {
  const { stderr } = await pawl(["start", "--port", "x"], { env: { PAWL_LOG_LEVEL: "loud" } });
  expect(stderr).toMatch(/^pawl: The configuration has 2 mistakes:\n {2}- --port .*\n {2}- PAWL_LOG_LEVEL /);
});

test("an unknown option or key of the file is reported with the closest valid one", async () => {
  expect((await pawl(["start", "--prot", "1"])).stderr).toContain('did you mean "--port"?');
  const cwd = await folderWith({ "pawl.config.mjs": "export default { prot: 1, logLevel: 'loud' };" });
  const { code, stderr } = await pawl(["start"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain('there is no setting "prot"; did you mean "port"?');
  expect(stderr).toContain("logLevel must be one of trace, debug, info");
});

test("a port in use is reported in one sentence", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => {
    taken.close();
  });
  const { port } = taken.address() as AddressInfo;
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_LOG_LEVEL: "silent",
    PAWL_DATA: await scratchData(),
  };
  const { code, stderr } = await pawl(["start", "--port", String(port)], { env });
  expect(code).toBe(1);
  expect(stderr).toContain(
    `Pawl cannot listen on 127.0.0.1:${port}: something listens there already; end it, or choose another port.`,
  );
});

test("tokens reset-admin prints a new token while the server runs, and the old one is refused at once", async () => {
  const DATABASE_URL = await emptyDatabase();
  const data = await scratchData();
  const env = { DATABASE_URL, PAWL_DATA: data };
  const running = await startPawl(["--port", "0"], { env });
  const old = await tokenIn(data);
  await running.ask("POST /api/members", old, { id: "second", roles: ["admin"] });
  const { body: second } = await running.ask("POST /api/members/second/tokens", old);
  await running.ask("PATCH /api/members/admin", String(second.token), { active: false, roles: ["viewer"] });
  expect(outcomeOf(await running.ask("GET /api/me", old))).toBe("401 MEMBER_INACTIVE");

  const { code, stdout } = await pawl(["tokens", "reset-admin"], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `The new admin token is in ${data}/admin-token\n` });
  expect(outcomeOf(await running.ask("GET /api/me", old))).toBe("401 INVALID_TOKEN");
  const me = await running.ask("GET /api/me", await tokenIn(data));
  expect(me.body).toMatchObject({ id: "admin", roles: ["viewer", "admin"] });
});

test("orgs create creates an org with its admin; the same id again is refused", async () => {
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_DATA: await scratchData() };
  const created = await pawl(["orgs", "create", "acme", "--json"], { env });
  const { token } = JSON.parse(created.stdout) as { token: string };
  const again = await pawl(["orgs", "create", "acme"], { env });
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('The org "acme" already exists.')]);
  const running = await startPawl(["--port", "0"], { env });
  expect((await running.ask("GET /api/me", token)).body).toMatchObject({ org_id: "acme", id: "admin" });
  expect((await running.ask("GET /api/projects", token)).body.projects).toMatchObject([{ id: "main" }]);
  const none = await pawl(["tokens", "reset-admin", "--org", "nobody"], { env });
  expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('There is no org "nobody".')]);
  const sql = connectDatabase(env.DATABASE_URL, { maxConnections: 1 });
  onTestFinished(() => sql.end());
  expect(await sql`select id from pawl.org order by id`).toEqual([{ id: "acme" }, { id: "main" }]);
});

test("the maximum request timeout is accepted", async () => {
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_ADMIN_TOKEN: "an-admin-of-the-test",
    PAWL_REQUEST_TIMEOUT_SECONDS: "3600",
    PAWL_DATA: await scratchData(),
  };
  const running = await startPawl(["--port", "0"], { env });
  expect((await running.ask("GET /api/me", "an-admin-of-the-test")).status).toBe(200);
  expect(await running.stop()).toBe(0);
});

test("the first signal lets running requests finish; a second one ends the process at once", async () => {
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_ADMIN_TOKEN: "an-admin-of-the-test",
    PAWL_DATA: await scratchData(),
  };
  const running = await startPawl(["--port", "0"], { env });
  await running.ask("PATCH /api/members/admin", "an-admin-of-the-test", { roles: ["admin", "worker"] });
  const waiting = running.ask("POST /api/claims", "an-admin-of-the-test", {
    lifecycle: "code",
    wait_seconds: 60,
  });
  const { hostname, port } = new URL(running.address);
  const body = JSON.stringify({ lifecycle: "code", title: "Mend it" });
  const sendHalf = async () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(
      `POST /api/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer an-admin-of-the-test\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    return socket;
  };
  const [finished] = [await sendHalf(), await sendHalf()];
  const figures = async () => (await running.ask("GET /metrics", "an-admin-of-the-test")).text;
  await expect.poll(figures).toMatch(/pawl_batch_size_count\{[^}]*verb="claim"[^}]*\} [1-9]/);
  running.child.kill("SIGTERM");
  expect(outcomeOf(await waiting)).toBe("200");
  finished.write(body.slice(1));
  let answer = "";
  finished.setEncoding("latin1").on("data", (part: string) => (answer += part));
  await once(finished, "close");
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  // The other request is still running.
  expect(running.child.exitCode).toBeNull();
  expect(await running.stop("SIGTERM")).toBe(143);
});

test("the sweep runs at the configured interval", async () => {
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_ADMIN_TOKEN: "an-admin-of-the-test",
    PAWL_SWEEP_SECONDS: "0.1",
    PAWL_DATA: await scratchData(),
  };
  const running = await startPawl(["--port", "0"], { env });
  await running.ask("PATCH /api/members/admin", "an-admin-of-the-test", { roles: ["admin", "agent"] });
  const settings = { board: { status_deadlines: { NEW: 0.005 } } };
  await running.ask("PATCH /api/projects/main", "an-admin-of-the-test", { settings });
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  const { body: task } = await running.ask("POST /api/tasks", "an-admin-of-the-test", body);
  let status: unknown = "NEW";
  while (status !== "STUCK")
    status = (await running.ask(`GET /api/tasks/${String(task.id)}`, "an-admin-of-the-test")).body.status;
});

/** Returns ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, "close");
    }),
  );
  return ports;
}
