import { existsSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { didYouMean, PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";
import { PLUGINS } from "../lifecycles/index.ts";
import { pluginOf } from "../plugin/index.ts";
import type { Plugin, PluginSettings, SettingValues } from "../plugin/index.ts";
import { refuseSharedSettings, settingsShape } from "./settings.ts";
import type { Settings } from "./settings.ts";

/** The default export of a `pawl.config.ts`. */
export type PawlConfig<Own extends readonly (Lifecycle | Plugin)[] = readonly (Lifecycle | Plugin)[]> =
  Partial<Settings> &
    Partial<SettingsOf<(typeof PLUGINS)[number]>> &
    Partial<SettingsOf<Own[number]>> & {
      /** Your lifecycles and plugins, in addition to the built-in ones. */
      lifecycles?: Own;
    };

/** The settings of all plugins of a union, in one object. */
type SettingsOf<P> = Intersection<
  P extends { readonly lifecycle: unknown; readonly settings: infer S extends PluginSettings }
    ? string extends keyof S
      ? never
      : SettingValues<S>
    : never
>;
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

/** A configuration that was read and validated. `path` is null if there is no file. */
type LoadedConfig = {
  path: string | null;
  plugins: readonly Plugin[];
  /** Its settings by name; the environment and options override them. */
  settings: Readonly<Record<string, unknown>>;
};

/** Where the configuration is, and what it can import. */
type ConfigSource = {
  cwd: string;
  /** The file to read; default `pawl.config.ts` (or `.mts`, `.js`, `.mjs`, `.cjs`) in `cwd`. */
  path?: string | undefined;
  /** Modules of this installation, by the name that a configuration imports. */
  modules: Record<string, unknown>;
};

const FILE_NAMES = ["ts", "mts", "js", "mjs", "cjs"].map((ending) => `pawl.config.${ending}`);

/** Types a configuration, so that the editor completes its keys. */
export function defineConfig<const Own extends readonly (Lifecycle | Plugin)[] = []>(
  config: PawlConfig<Own>,
): PawlConfig<Own> {
  return config;
}

/** Reads the user's configuration, or throws INVALID_CONFIG with the file and what is wrong in it. */
export async function loadConfig({ cwd, path, modules }: ConfigSource): Promise<LoadedConfig> {
  const file = path === undefined ? findConfig(cwd) : resolve(cwd, path);
  if (file === null) return { path: null, plugins: [], settings: {} };
  if (!isFile(file)) {
    throw new PawlError("INVALID_CONFIG", `There is no configuration file ${displayPath(file, cwd)}.`, {
      file,
      option: "--config",
    });
  }
  const { lifecycles, ...settings } = parseConfig(
    await importDefault(file, cwd, modules),
    displayPath(file, cwd),
  );
  refuseTakenNames(lifecycles, displayPath(file, cwd));
  const plugins = lifecycles.map(pluginOf);
  refuseSharedSettings([...PLUGINS, ...plugins]);
  return { path: file, plugins, settings };
}

/** Finds the configuration in a folder. */
export function findConfig(cwd: string): string | null {
  return FILE_NAMES.map((name) => join(cwd, name)).find(isFile) ?? null;
}

/**
 * `virtualModules` passes the modules of this process. If the file resolved them itself, there would be a second
 * `PawlError` and a second zod, and loading would fail in a folder without node_modules.
 */
async function importDefault(file: string, cwd: string, modules: Record<string, unknown>): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(pathToFileURL(file).href, { fsCache: false, virtualModules: { ...modules } });
  let loaded: { default?: unknown };
  try {
    loaded = await unlessIdle(jiti.import<typeof loaded>(file));
  } catch (error) {
    throw loadError(error, file, cwd);
  }
  if (!("default" in loaded) && isEsModule(loaded)) throw noDefaultExport(loaded, file, cwd);
  const { default: exported } = loaded;
  // The loader returns the whole module if the default export is undefined.
  if (
    typeof exported === "object" &&
    exported !== null &&
    "default" in exported &&
    exported.default === undefined
  )
    throw exportError("undefined", file, cwd);
  return exported;
}

/** Rejects if a top-level await never settles: the process would run out of work and exit without a message. */
async function unlessIdle<T>(loading: Promise<T>): Promise<T> {
  let giveUp: () => void = () => undefined;
  const nothingLeft = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(new Error("a top-level await never settles"));
    };
  });
  process.once("beforeExit", giveUp);
  try {
    return await Promise.race([loading, nothingLeft]);
  } finally {
    process.off("beforeExit", giveUp);
  }
}

/** False for `module.exports = …`, which is the configuration itself. */
function isEsModule(loaded: object): boolean {
  return Object.keys(loaded).length === 0 || ("__esModule" in loaded && loaded.__esModule === true);
}

/** Suggests the default export that the named exports were meant for. */
function noDefaultExport(loaded: object, file: string, cwd: string): PawlError {
  const named = Object.entries(loaded);
  if (named.length === 0) return exportError("nothing", file, cwd);
  const lifecycles = named.filter(([, value]) => isLifecycle(value) || isPlugin(value)).map(([name]) => name);
  const list = lifecycles.length === 0 ? "…" : `lifecycles: [${lifecycles.join(", ")}]`;
  return new PawlError(
    "INVALID_CONFIG",
    `${displayPath(file, cwd)} has no default export: write \`export default defineConfig({ ${list} })\`.`,
    { file },
  );
}

function exportError(exported: string, file: string, cwd: string): PawlError {
  return new PawlError(
    "INVALID_CONFIG",
    `${displayPath(file, cwd)} exports ${exported}: write \`export default defineConfig({ … })\`.`,
    { file },
  );
}

const LIFECYCLES_FIELD = z
  .array(
    z.custom<Lifecycle | Plugin>((value) => isLifecycle(value) || isPlugin(value)),
    {
      error: "must be a list",
    },
  )
  .default([]);

/** The valid settings depend on the plugins that the configuration lists. */
function schemaFor(sent: unknown) {
  const { lifecycles } = (sent ?? {}) as { lifecycles?: unknown };
  const own = Array.isArray(lifecycles) ? lifecycles.filter(isPlugin) : [];
  return z.strictObject(
    { lifecycles: LIFECYCLES_FIELD, ...settingsShape([...PLUGINS, ...own]) },
    { error: ({ code }) => (code === "invalid_type" ? "the default export must be an object" : undefined) },
  );
}

type ParsedConfig = { lifecycles: (Lifecycle | Plugin)[] } & Record<string, unknown>;

function parseConfig(sent: unknown, file: string): ParsedConfig {
  const schema = schemaFor(sent);
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape);
  const mistakes = parsed.error.issues.flatMap((issue) => mistakesOf(issue, sent, known));
  throw new PawlError("INVALID_CONFIG", `${file}: ${mistakes.join("; ")}`, { mistakes });
}

function mistakesOf(issue: z.core.$ZodIssue, sent: unknown, known: readonly string[]): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `there is no setting "${key}"${didYouMean(key, known)}`);
  }
  const [key, index] = issue.path;
  if (key === "lifecycles" && typeof index === "number") {
    const value = (sent as { lifecycles: unknown[] }).lifecycles[index];
    return [
      `lifecycles[${index}] is ${describeValue(value)}, not a lifecycle made by defineLifecycle or definePlugin`,
    ];
  }
  return [`${issue.path.join(".")} ${issue.message}`.trimStart()];
}

/** A definition that was not passed through `defineLifecycle` lacks the indexes that the engine needs. */
function isLifecycle(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, rules_by_action, source_statuses, lease_only_actions } = value as Partial<Lifecycle>;
  const indexed =
    rules_by_action instanceof Map && source_statuses instanceof Map && lease_only_actions instanceof Set;
  return typeof name === "string" && indexed && Object.isFrozen(value);
}

/** A plugin that was not passed through `definePlugin` is not checked. */
function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== "object" || value === null) return false;
  return isLifecycle((value as Partial<Plugin>).lifecycle) && Object.isFrozen(value);
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object") return `the ${typeof value} ${JSON.stringify(value)}`;
  return "name" in value ? `the plain object "${String(value.name)}"` : "a plain object";
}

function refuseTakenNames(lifecycles: readonly (Lifecycle | Plugin)[], file: string): void {
  const shipped = new Set<string>(PLUGINS.map(({ lifecycle }) => lifecycle.name));
  const seen = new Set<string>();
  for (const given of lifecycles) {
    const { name } = "lifecycle" in given ? given.lifecycle : given;
    if (shipped.has(name)) {
      throw new PawlError(
        "INVALID_CONFIG",
        `${file}: the lifecycle name "${name}" is taken: one ships with Pawl.`,
        { name },
      );
    }
    if (seen.has(name))
      throw new PawlError("INVALID_CONFIG", `${file}: two lifecycles are named "${name}".`, { name });
    seen.add(name);
  }
}

/** Adds the file and line of the error, in whichever of the user's files it is. */
function loadError(error: unknown, file: string, cwd: string): PawlError {
  const at = locationOf(error) ?? { file, line: null };
  const where = `${displayPath(at.file, cwd)}${at.line === null ? "" : `:${at.line}`}`;
  if (error instanceof PawlError) {
    return new PawlError(error.code, error.message, { ...error.params, at: where }, { cause: error });
  }
  return new PawlError(
    "INVALID_CONFIG",
    `${where} cannot be loaded: ${reasonOf(error)}.`,
    { at: where },
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine = ""] = message.split("\n");
  return (
    firstLine
      .replace(/^ParseError: /, "")
      // The message of a missing import contains a variable of the loader.
      .replace(/\(0 , _\w+\.(\w+)\)/, "$1")
      .trim()
      .replace(/\.$/, "") || "it threw without a message"
  );
}

const OWN_FOLDER = fileURLToPath(new URL("..", import.meta.url));
const LOCATION = /^(file:\/\/.+|\/.+|[A-Za-z]:[\\/].+):(\d+):\d+$/;

/** The first location in a parser's message or a stack trace that is outside of Pawl, Node and packages. */
function locationOf(error: unknown): { file: string; line: number } | null {
  if (!(error instanceof Error)) return null;
  for (const text of `${error.message}\n${error.stack ?? ""}`.split("\n")) {
    const found = LOCATION.exec(
      text
        .trim()
        .replace(/^at (async )?(.*\()?/, "")
        .replace(/\)$/, ""),
    );
    if (!found) continue;
    const [, location = "", line = ""] = found;
    const file = location.startsWith("file:") ? fileURLToPath(location) : location;
    if (!file.startsWith(OWN_FOLDER) && !/[\\/]node_modules[\\/]/.test(file))
      return { file, line: Number(line) };
  }
  return null;
}

/** A path as the user would type it: relative if it is below the working directory. */
function displayPath(file: string, cwd: string): string {
  const near = relative(cwd, file);
  if (near === "") return basename(file);
  return near.startsWith("..") ? file : near;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
