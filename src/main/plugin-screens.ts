import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin, PluginUi } from "../plugin/index.ts";
import type { PluginScreens } from "../server/index.ts";

/** Addresses of the built-in plugins' modules, written by the build of the console. */
type BuiltModules = Readonly<Record<string, string>>;

/** What plugins add to the console: built-in ones are part of its build, others are served from their own folders. */
export function pluginScreens(plugins: readonly Plugin[], consoleFolder: string | undefined): PluginScreens {
  const built = builtModules(consoleFolder);
  const folders = new Map<string, string>();
  const listed = plugins.flatMap(({ lifecycle: { name }, ui }) => {
    if (!ui) return [];
    const own = Object.hasOwn(built, name) ? { module: built[name] ?? "", styles: null } : served(name, ui);
    if (!Object.hasOwn(built, name)) folders.set(name, dirname(fileURLToPath(ui.module)));
    const tabs = Object.entries(ui.tabs ?? {}).map(([id, title]) => ({ id, title }));
    return [{ lifecycle: name, ...own, tabs, panel: ui.panel ?? null, texts: ui.texts ?? {} }];
  });
  return { plugins: listed, folders };
}

function served(name: string, { module, styles }: PluginUi): { module: string; styles: string | null } {
  const address = (url: URL) => `/plugins/${name}/${basename(fileURLToPath(url))}`;
  return { module: address(module), styles: styles ? address(styles) : null };
}

function builtModules(consoleFolder: string | undefined): BuiltModules {
  const file = consoleFolder === undefined ? "" : join(consoleFolder, "plugins.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as BuiltModules) : {};
}
