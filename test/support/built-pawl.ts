import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { connect } from "../../src/postgres/connect.ts";

const execute = promisify(execFile);

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Advisory lock that serializes builds of parallel test files. */
const BUILD_LOCK = 611_734;
const ENSURE = `
  import { ensureBuilt } from ${JSON.stringify(new URL("../../scripts/ensure-built.js", import.meta.url).href)};
  process.exitCode = ensureBuilt() ? 0 : 1;`;

/** The command line as it ships, built once by the first test file that needs it. */
export const BUILT_PAWL: readonly string[] = [await buildOnce()];

async function buildOnce(): Promise<string> {
  const sql = connect(inject("postgresUrl"), { maxConnections: 1 });
  try {
    await sql`select pg_advisory_lock(${BUILD_LOCK})`;
    await execute(process.execPath, ["--input-type=module", "--eval", ENSURE]);
  } finally {
    await sql.end({ timeout: 5 });
  }
  return join(ROOT, "dist/main/bin.js");
}
