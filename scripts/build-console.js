// Bundles the console into a folder, with compressed copies beside the files. To run it alone: `node scripts/build-console.js`.
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const COMPRESSED = /\.(html|js|css|svg)$/;

/** Builds the console into `folder`. */
export async function buildConsole(folder) {
  // The caller, such as a test, may have another value, which would bundle React's slow development build at twice the size.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  await build({
    configFile: join(ROOT, "src/console/vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder },
  });
  nameModules(folder);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSED.test(entry.name)) compress(join(entry.parentPath, entry.name));
  }
}

/** Import specifiers that plugin screens may use, by the name of their entry. */
const SHARED = {
  "shared-console": "pawl/console",
  "shared-react": "react",
  "shared-react-jsx-runtime": "react/jsx-runtime",
};

/** Writes the addresses of the built-in plugins' modules, and the import map for the screens of other plugins. */
function nameModules(folder) {
  const manifest = join(folder, "manifest.json");
  const entries = Object.values(JSON.parse(readFileSync(manifest, "utf8"))).filter(({ isEntry }) => isEntry);
  rmSync(manifest);
  const addressOf = (name) => `/${entries.find((entry) => entry.name === name).file}`;
  const plugins = entries.filter(({ name }) => name.startsWith("plugin-"));
  const addresses = plugins.map(({ name }) => [name.replace("plugin-", ""), addressOf(name)]);
  writeFileSync(join(folder, "plugins.json"), JSON.stringify(Object.fromEntries(addresses)));
  const imports = Object.entries(SHARED).map(([name, specifier]) => [specifier, addressOf(name)]);
  const map = JSON.stringify({ imports: Object.fromEntries(imports) });
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8");
  // An import map applies only to modules that are loaded after it.
  writeFileSync(page, html.replace("<head>", `<head>\n    <script type="importmap">${map}</script>`));
}

/** Compresses a file at build time, so that the server need not do it for each request. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildConsole(resolve(process.argv[2] ?? join(ROOT, "dist/console")));
