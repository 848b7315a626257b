import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const LIFECYCLES = join(ROOT, "../lifecycles");

/** Screens of the built-in plugins, one module per plugin, loaded on demand. */
const plugins = readdirSync(LIFECYCLES)
  .map((name) => [`plugin-${name}`, join(LIFECYCLES, name, "ui/index.ts")] as const)
  .filter(([, file]) => existsSync(file));

/** Modules of the console that screens of other plugins import; `build-console.js` writes the import map. */
const shared = {
  "shared-console": join(ROOT, "index.ts"),
  "shared-react": join(ROOT, "shared/react.ts"),
  "shared-react-jsx-runtime": join(ROOT, "shared/react-jsx-runtime.ts"),
};

export default defineConfig({
  root: ROOT,
  plugins: [react()],
  build: {
    target: "es2022",
    outDir: fileURLToPath(new URL("../../dist/console", import.meta.url)),
    emptyOutDir: true,
    manifest: "manifest.json",
    // Inlined data would need a looser content security policy than the server's.
    assetsInlineLimit: 0,
    // One style sheet for all screens: Vite does not retry the style sheet of a screen that failed to load.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: join(ROOT, "index.html"), ...Object.fromEntries(plugins), ...shared },
      preserveEntrySignatures: "exports-only",
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:4747" } },
});
