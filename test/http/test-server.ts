import type { Server } from "node:http";
import { afterAll } from "vitest";
import type { JsonObject, Lifecycle } from "../../src/core/index.ts";
import { DemoRunner } from "../../src/demo/demo-runner.ts";
import { DemoOrg } from "../../src/engine/directory/demo-org.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import type { Member } from "../../src/engine/directory/directory.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import type { Engine, EngineOptions } from "../../src/engine/engine.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { buildServer } from "../../src/server/server.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { pluginSettings, serverPlugins } from "../../src/main/plugins.ts";
import { EVERYBODY_IS_ACTIVE, openTestEngine, SYSTEM } from "../engine/test-engine.ts";
import type { Parts } from "../engine/test-engine.ts";
import type { TestEngine } from "../engine/test-engine.ts";

export const ALL_ROLES = ["admin", "system", "agent", "worker", "executor", "lead", "supervisor"];

/** A reply of the server. */
export type Reply = {
  status: number;
  headers: Headers;
  /** The parsed body; empty if it is not JSON. */
  body: Record<string, unknown>;
  text: string;
};

export type RequestOptions = {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export type TestServer = {
  testEngine: TestEngine;
  sql: Sql;
  directory: Directory;
  /** The engine of this node. */
  engine: Engine;
  url: string;
  server: Server;
  /** Stops the server. */
  close: () => Promise<void>;
  /** Sends a request, such as `ask("GET /api/me", { token })`. Default: the token of the admin; null sends none. */
  ask: (request: string, options?: RequestOptions) => Promise<Reply>;
  /** Creates a member and returns a token for it. */
  member: (given: Partial<Member>, org_id?: string) => Promise<string>;
  admin: string;
};

/** Starts a server on its own database, reached over real HTTP; every reply is validated by the schema of its route. */
export async function startTestServer(
  options: EngineOptions & {
    lifecycles?: readonly Lifecycle[];
    parts?: Parts;
    maxConnections?: number;
    server?: Partial<ServerOptions>;
    /** For a server that restarts at the same address; default: any free port. */
    port?: number;
    /** A server whose database the new one shares, as another node; default: a new database. */
    sameDatabaseAs?: TestServer;
  } = {},
): Promise<TestServer> {
  const { lifecycles, sameDatabaseAs, server = {}, port = 0, ...engineOptions } = options;
  const testEngine =
    sameDatabaseAs?.testEngine ??
    (await openTestEngine({
      parts: EVERYBODY_IS_ACTIVE,
      ...engineOptions,
      ...(lifecycles ? { lifecycles } : {}),
    }));
  const { sql } = testEngine;
  const engine = sameDatabaseAs ? testEngine.node(engineOptions) : testEngine.engine;
  const directory = new Directory(sql, lifecycles ?? LIFECYCLES);
  const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
  // Without the server's address, its simulated members do nothing.
  const demo = new DemoRunner({
    store: new DemoOrg(sql, directory),
    loadScripts: () => Promise.resolve([]),
    language: "en",
    pace: 1,
    onError: fail,
  });
  const app = await buildServer({
    engine,
    directory,
    demo,
    plugins,
    version: "0.0.0",
    checksReplies: true,
    ...server,
  });
  const url = await app.listen({ port, host: "127.0.0.1" });
  afterAll(() => app.close());

  const member = async (given: Partial<Member>, org_id = "main") => {
    const caller = { org_id, actor: SYSTEM };
    if (org_id !== "main") await createOrg(sql, org_id);
    const created = await directory.addMember(caller, given);
    if (created.kind === "refused") throw new Error(created.detail);
    const issued = await directory.issueToken(caller, created.answer.id);
    if (issued.kind === "refused") throw new Error(issued.detail);
    return issued.token;
  };
  const admin = sameDatabaseAs?.admin ?? (await member({ id: "admin", roles: ["admin"] }));
  const ask: TestServer["ask"] = async (request, { token = admin, body, headers = {}, signal } = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    return replyOf(response);
  };
  const { server: listening } = app;
  return {
    testEngine,
    sql,
    directory,
    engine,
    url,
    server: listening,
    close: () => app.close(),
    ask,
    member,
    admin,
  };
}

function fail(error: unknown): never {
  throw error;
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const body = isJson ? (JSON.parse(text) as Reply["body"]) : {};
  return { status: response.status, headers: response.headers, body, text };
}

/** Summarizes an answer: its status, and its code if it is a problem. */
export function outcomeOf({ status, headers, body }: Reply): string {
  const isProblem = headers.get("content-type")?.startsWith("application/problem+json") ?? false;
  return isProblem ? `${status} ${String(body.code)}` : String(status);
}

/** Returns the body of an answer that must have this status; the server has validated its shape. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function bodyOf<T = JsonObject>(status: number, reply: Reply): T {
  if (reply.status !== status) throw new Error(`${reply.status} ${reply.text}`);
  return reply.body as T;
}
