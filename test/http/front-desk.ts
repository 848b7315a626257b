import type { Server } from "node:http";
import { afterAll } from "vitest";
import type { JsonObject, Lifecycle } from "../../src/core/index.ts";
import { DemoKeeper } from "../../src/demo/keeper.ts";
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
import { EVERYBODY_IS_ACTIVE, openTestEngine as openDesk, SYSTEM } from "../engine/test-engine.ts";
import type { Parts } from "../engine/test-engine.ts";
import type { TestEngine as Desk } from "../engine/test-engine.ts";

export const ALL_ROLES = ["admin", "system", "agent", "worker", "executor", "lead", "supervisor"];

/** What came back over the wire. */
export type Heard = {
  status: number;
  headers: Headers;
  /** JSON where it was JSON. */
  body: Record<string, unknown>;
  text: string;
};

export type Ask = {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export type FrontDesk = {
  desk: Desk;
  sql: Sql;
  directory: Directory;
  /** This node's own. */
  engine: Engine;
  url: string;
  server: Server;
  /** Stops the server. */
  close: () => Promise<void>;
  /** `ask("GET /api/me", { token })`: by the admin unless told otherwise, by nobody with a token of null. */
  ask: (what: string, how?: Ask) => Promise<Heard>;
  /** A new member, and a token of his. */
  member: (given: Partial<Member>, org_id?: string) => Promise<string>;
  admin: string;
};

/** A server on a database of the test file's own, reached over real HTTP; every answer is held against the contract. */
export async function openFrontDesk(
  options: EngineOptions & {
    lifecycles?: readonly Lifecycle[];
    parts?: Parts;
    maxConnections?: number;
    server?: Partial<ServerOptions>;
    /** For a server that comes back to the same address; default: any free port. */
    port?: number;
    /** Another node on the same database. */
    beside?: FrontDesk;
  } = {},
): Promise<FrontDesk> {
  const { lifecycles, beside, server = {}, port = 0, ...engineOptions } = options;
  const desk =
    beside?.desk ??
    (await openDesk({ parts: EVERYBODY_IS_ACTIVE, ...engineOptions, ...(lifecycles ? { lifecycles } : {}) }));
  const { sql } = desk;
  const engine = beside ? desk.node(engineOptions) : desk.engine;
  const directory = new Directory(sql, lifecycles ?? LIFECYCLES);
  const plugins = serverPlugins(PLUGINS, pluginSettings(PLUGINS));
  // It is told nowhere where the server listens, so that nobody acts.
  const demo = new DemoKeeper({
    house: new DemoOrg(sql, directory),
    loadScripts: () => Promise.resolve([]),
    pace: 1,
    onFault: fail,
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
    const by = { org_id, actor: SYSTEM };
    if (org_id !== "main") await createOrg(sql, org_id);
    const made = await directory.addMember(by, given);
    if (made.kind === "refused") throw new Error(made.detail);
    const issued = await directory.issueToken(by, made.answer.id);
    if (issued.kind === "refused") throw new Error(issued.detail);
    return issued.token;
  };
  const admin = beside?.admin ?? (await member({ id: "admin", roles: ["admin"] }));
  const ask: FrontDesk["ask"] = async (what, { token = admin, body, headers = {}, signal } = {}) => {
    const [method = "", path = ""] = what.split(" ");
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
    return heardOf(response);
  };
  const { server: listening } = app;
  return {
    desk,
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

export async function heardOf(response: Response): Promise<Heard> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const body = isJson ? (JSON.parse(text) as Heard["body"]) : {};
  return { status: response.status, headers: response.headers, body, text };
}

/** An answer in one word: its status, or its status and code where it is a problem. */
export function wordOf({ status, headers, body }: Heard): string {
  const isProblem = headers.get("content-type")?.startsWith("application/problem+json") ?? false;
  return isProblem ? `${status} ${String(body.code)}` : String(status);
}

/** The body of an answer that must have this status. Its shape is checked against the route's row wherever a test asks. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function wanted<T = JsonObject>(status: number, heard: Heard): T {
  if (heard.status !== status) throw new Error(`${heard.status} ${heard.text}`);
  return heard.body as T;
}
