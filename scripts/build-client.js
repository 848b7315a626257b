// Builds the package `pawl-client` from the same sources as `pawl/client`, `pawl/worker` and `pawl/react`, into packages/client or
// the folder given as argument. It includes the packages that they need, so that it has no dependencies.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { ensureBuilt } from "./ensure-built.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PACKAGE = join(ROOT, "packages/client");
const TARGET = resolve(process.argv[2] ?? PACKAGE);
const OUT = join(TARGET, "dist");
const ENTRIES = { client: "client/index", worker: "worker/index", react: "main/react" };
/** Included packages; zod only for the types of requests and replies. */
const INCLUDED = ["eventsource-parser", "zod"];

/** Types that the compiler infers are imported from here; `dts` would leave the import. */
const findZodCore = {
  name: "find-zod-core",
  resolveId: (source) =>
    source === "zod/v4/core" ? join(ROOT, "node_modules/zod/v4/core/index.d.ts") : null,
};

if (!ensureBuilt()) process.exit(1);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
if (TARGET !== PACKAGE)
  for (const file of ["package.json", "README.md"]) cpSync(join(PACKAGE, file), join(TARGET, file));
copyFileSync(join(ROOT, "LICENSE"), join(TARGET, "LICENSE"));
await bundleCode();
await bundleTypes();
writeFileSync(join(OUT, "LICENSES.txt"), INCLUDED.map(licenseOf).join("\n\n"));

async function bundleCode() {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: entriesIn("src", "ts"),
    outdir: OUT,
    bundle: true,
    // The worker and the client share modules, so that the worker finds the connection of a client.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    external: ["react"],
    metafile: true,
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const unknown = packages.filter((name) => !INCLUDED.includes(name));
  if (unknown.length > 0) throw new Error(`pawl-client would include other packages: ${unknown.join(", ")}`);
  for (const file of ["lease-renewal-thread.mjs", "lease-renewal.mjs"])
    copyFileSync(join(ROOT, "src/worker", file), join(OUT, file));
}

async function bundleTypes() {
  const bundle = await rollup({
    input: entriesIn("dist", "d.ts"),
    external: ["react"],
    plugins: [findZodCore, dts({ includeExternal: INCLUDED })],
    // It warns that some types have no name to import them by, which is intended.
    onwarn: () => undefined,
  });
  await bundle.write({
    dir: OUT,
    format: "es",
    entryFileNames: "[name].d.ts",
    chunkFileNames: "types-[hash].d.ts",
  });
}

function entriesIn(folder, ending) {
  return Object.fromEntries(
    Object.entries(ENTRIES).map(([name, path]) => [name, join(ROOT, folder, `${path}.${ending}`)]),
  );
}

function licenseOf(name) {
  const folder = join(ROOT, "node_modules", name);
  const { version } = createRequire(import.meta.url)(join(folder, "package.json"));
  return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
}
