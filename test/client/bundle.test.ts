import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { folderWith } from "../cli/pawl-process.ts";
import { ROOT } from "../support/built-pawl.ts";

const MOST_BYTES = { "src/client/index.ts": 6_000, "src/main/react.ts": 3_500 };

/** What a browser loads of a door, compressed as servers send it. */
async function bundle(door: string): Promise<{ bytes: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [door],
    bundle: true,
    minify: true,
    // Fails on anything that a browser lacks.
    platform: "browser",
    format: "esm",
    external: ["react"],
    write: false,
    metafile: true,
  });
  return { bytes: gzipSync(outputFiles[0]!.contents).length, inputs: Object.keys(metafile.inputs) };
}

test.each(Object.entries(MOST_BYTES))("%s is less than %i bytes for a browser", async (door, most) => {
  const { bytes, inputs } = await bundle(door);
  console.info(`${door}: ${bytes} bytes, minified and compressed`);
  expect(bytes).toBeLessThan(most);
  // The schemas, and the library that makes them, are types to a client.
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
    files: Object.keys(MOST_BYTES).map((door) => join(ROOT, door)),
  };
  const folder = await folderWith({ "tsconfig.json": JSON.stringify(config) });
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});
