import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { PoolConfig } from "pg";
import { afterAll } from "vitest";
import type { PrismaTransaction } from "../../src/adapters/prisma.ts";
import { installLocked } from "../support/install-locked.ts";

/** The part of a generated Prisma client that the tests use. */
type PrismaClient = PrismaTransaction & {
  $transaction(
    work: (tx: PrismaTransaction) => Promise<void>,
    options: { isolationLevel: "Serializable" | "ReadCommitted"; timeout: number },
  ): Promise<void>;
  $disconnect(): Promise<void>;
};

/** An app that has Prisma installed. */
export type PrismaApp = { connect: (config: PoolConfig) => PrismaClient };

const APP = fileURLToPath(new URL("../support/prisma", import.meta.url));

type Generated = { PrismaClient: new (options: { adapter: object }) => PrismaClient };
type AdapterModule = { PrismaPg: new (config: PoolConfig) => object };

/**
 * Installs Prisma in a folder of its own, because of its size (300 MB), and generates the client of `schema.prisma`. Returns null
 * without access to the registry.
 */
export async function installPrisma(): Promise<PrismaApp | null> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "pawl-prisma-")));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  if (!(await installLocked(APP, folder))) return null;
  const cli = join(folder, "node_modules/prisma/build/index.js");
  await promisify(execFile)(process.execPath, [cli, "generate", "--schema", "schema.prisma"], {
    cwd: folder,
    // The generator looks for this binary, and would download it, but does not run it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" },
  });
  const require = createRequire(join(folder, "package.json"));
  const generated = pathToFileURL(join(folder, "generated/client.ts")).href;
  const { PrismaClient } = (await import(generated)) as Generated;
  const { PrismaPg } = require(join(folder, "node_modules/@prisma/adapter-pg")) as AdapterModule;
  return { connect: (config) => new PrismaClient({ adapter: new PrismaPg(config) }) };
}
