// Bundles the console into a folder, with compressed copies beside the files. By itself: `node scripts/build-console.js`.
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const COMPRESSED = /\.(html|js|css|svg)$/;

/** Builds the console into `folder`. */
export async function buildConsole(folder) {
  // Whoever builds may have another one, a test for instance; it would get React's own checks, twice the size and slow.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  await build({
    configFile: join(ROOT, "src/console/vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder },
  });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSED.test(entry.name)) compress(join(entry.parentPath, entry.name));
  }
}

/** Once here, and not for every visitor. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildConsole(resolve(process.argv[2] ?? join(ROOT, "dist/console")));
