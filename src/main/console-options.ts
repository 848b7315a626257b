import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin, PluginUi } from "../plugin/index.ts";
import type { ConsoleOptions } from "../server/index.ts";

/** The built console with the screens of plugins; null if the console was not built. */
export function consoleOptions(plugins: readonly Plugin[], folder = builtFolder()): ConsoleOptions | null {
  if (folder === null) return null;
  const built = builtModules(folder);
  const ofOthers = plugins.filter(({ lifecycle }) => !built.has(lifecycle.name));
  return {
    folder,
    plugins: plugins.flatMap(({ lifecycle: { name }, ui }) => {
      if (!ui) return [];
      const module = built.get(name);
      const addresses = module === undefined ? addressesIn(name, ui) : { module, styles: null };
      const tabs = Object.entries(ui.tabs ?? {}).map(([id, { first_for, ...title }]) => ({
        id,
        title,
        first_for: [...(first_for ?? [])],
      }));
      const { panel = null, texts = {}, fields = {} } = ui;
      return [{ lifecycle: name, ...addresses, tabs, panel, texts, fields }];
    }),
    pluginFolders: new Map(
      ofOthers.flatMap(({ lifecycle, ui }) =>
        ui ? [[lifecycle.name, dirname(fileURLToPath(ui.module))] as const] : [],
      ),
    ),
  };
}

/** Where the console was built: beside the compiled server, or in `dist/` when the sources run. */
function builtFolder(): string | null {
  const folders = ["../console/", "../../dist/console/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return folders.find((folder) => existsSync(join(folder, "assets"))) ?? null;
}

/** Addresses of the built-in plugins' modules, written by the build of the console. */
function builtModules(folder: string): ReadonlyMap<string, string> {
  const file = join(folder, "plugins.json");
  const modules = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {};
  return new Map(Object.entries(modules));
}

function addressesIn(name: string, { module, styles }: PluginUi): { module: string; styles: string | null } {
  const address = (url: URL) => `/plugins/${name}/${basename(fileURLToPath(url))}`;
  return { module: address(module), styles: styles ? address(styles) : null };
}
