import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { folderWith } from "../cli/pawl-process.ts";
import { ROOT } from "../support/built-pawl.ts";

const MAX_BYTES = { "src/client/index.ts": 6_000, "src/main/react.ts": 4_500 };

/** Bundles an entry point for browsers; returns its compressed size and its modules. */
async function bundle(entry: string): Promise<{ bytes: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    // Fails if a module needs Node.
    platform: "browser",
    format: "esm",
    external: ["react"],
    write: false,
    metafile: true,
  });
  return { bytes: gzipSync(outputFiles[0]!.contents).length, inputs: Object.keys(metafile.inputs) };
}

test.each(Object.entries(MAX_BYTES))("%s is less than %i bytes for a browser", async (entry, max) => {
  const { bytes, inputs } = await bundle(entry);
  console.info(`${entry}: ${bytes} bytes, minified and compressed`);
  expect(bytes).toBeLessThan(max);
  // A client may import schemas, and zod, as types only.
  const foreign = inputs.filter(
    (input) =>
      !/^src\/(client|react|std)\/|^src\/main\/react\.ts$|^src\/api\/route\.ts$|^src\/lifecycles\/bot-actions\/(react\/|rows\.ts|bot-action-names\.ts)/.test(
        input,
      ),
  );
  expect(foreign.filter((input) => !input.startsWith("node_modules/eventsource-parser/"))).toEqual([]);
});

test("the client uses nothing that only Node has", async () => {
  const compilerOptions = { types: [], lib: ["es2023", "dom", "dom.iterable"] };
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions,
    include: [],
    files: Object.keys(MAX_BYTES).map((entry) => join(ROOT, entry)),
  };
  const folder = await folderWith({ "tsconfig.json": JSON.stringify(config) });
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});
