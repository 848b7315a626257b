import { z } from "zod";
import { DEMO_LANGUAGES } from "../api/index.ts";
import { BUILT_IN_NAMES, didYouMean, hideCredentials, nearest, PawlError } from "../core/index.ts";
import { DEFAULT_SCHEMA, isPostgresUrl, isSchemaName, VALID_SCHEMA_NAME } from "../postgres/index.ts";
import type { PluginSettings, Setting, SettingValues } from "../plugin/index.ts";

const postgresUrl = {
  schema: z.string().trim().refine(isPostgresUrl).nullable(),
  default: null,
  expected: "the URL of a PostgreSQL server, like postgres://user:password@host:5432/database",
  secret: true,
} as const;

const HOST_NAME = /^(\*\.)?[\w-]+(\.[\w-]+)*$/;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** All settings of the server. A flag overrides the environment, which overrides `pawl.config.ts`. */
export const SETTINGS = {
  host: {
    env: "PAWL_HOST",
    flag: "--host",
    schema: z.string().trim().min(1),
    default: "127.0.0.1",
    expected: "an address to listen on",
    description: "the address to listen on; the default is reachable from this machine only",
  },
  port: {
    env: "PAWL_PORT",
    flag: "--port",
    schema: z.int().min(0).max(65_535),
    default: 4747,
    expected: "a whole number from 0 to 65535",
    description: "the port to listen on; 0 chooses a free one",
  },
  data: {
    env: "PAWL_DATA",
    flag: "--data",
    schema: z.string().trim().min(1),
    default: ".pawl",
    expected: "the path of a folder",
    description: "the folder of the embedded database and of the admin token",
  },
  databaseUrl: {
    ...postgresUrl,
    env: "DATABASE_URL",
    description: "your own PostgreSQL, 15 or newer, instead of the embedded one",
  },
  directUrl: {
    ...postgresUrl,
    env: "PAWL_DIRECT_URL",
    description:
      "the same PostgreSQL without the pooler of DATABASE_URL, for LISTEN; without it, nodes poll for each other's commits",
  },
  schema: {
    env: "PAWL_SCHEMA",
    schema: z.string().refine(isSchemaName),
    default: DEFAULT_SCHEMA,
    expected: VALID_SCHEMA_NAME,
    description: "the schema of the database with Pawl's tables; several Pawls can share a database",
  },
  migrate: {
    env: "PAWL_MIGRATE",
    schema: z.boolean(),
    default: true,
    expected: "true or false",
    description:
      "set to false for a role that may not change tables: the start then only checks that `pawl migrate` has run",
  },
  builtInPlugins: {
    env: "PAWL_BUILT_IN_PLUGINS",
    schema: z
      .array(z.enum([...BUILT_IN_NAMES, "none"]))
      .transform((names) => BUILT_IN_NAMES.filter((name) => names.includes(name))),
    default: [...BUILT_IN_NAMES],
    expected: `a list of ${BUILT_IN_NAMES.join(", ")}, or none`,
    correct: (name) => nearest(name, [...BUILT_IN_NAMES, "none"]),
    description:
      "the built-in plugins that run, separated by commas; the others leave no tables, routes, commands or screens",
  },
  databaseConnections: {
    env: "PAWL_DATABASE_CONNECTIONS",
    schema: z.int().min(2).max(1_000),
    default: 10,
    expected: "a whole number from 2 to 1000",
    description: "maximum number of database connections of this node",
  },
  preparedStatements: {
    env: "PAWL_PREPARED_STATEMENTS",
    schema: z.boolean(),
    default: true,
    expected: "true or false",
    description:
      "set to false behind a pooler without support for prepared statements (PgBouncer before 1.21)",
  },
  logLevel: {
    env: "PAWL_LOG_LEVEL",
    schema: z.enum(LOG_LEVELS),
    default: "info",
    expected: `one of ${LOG_LEVELS.join(", ")}`,
    description: "minimum level of log lines; debug logs every request",
  },
  sweepSeconds: {
    env: "PAWL_SWEEP_SECONDS",
    schema: z.number().min(0).max(86_400),
    default: 60,
    expected: "a number of seconds from 0 to 86400 (a day)",
    description: "interval between sweeps for expired timers; fractions are allowed, 0 turns them off",
  },
  retentionDays: {
    env: "PAWL_RETENTION_DAYS",
    schema: z.number().min(0).max(36_500),
    default: 0,
    expected: "a number of days from 0 to 36500 (a hundred years)",
    description:
      "days until finished tasks, their journals, chat messages and refused requests from SQL are deleted; 0 keeps them forever",
  },
  reconcileSeconds: {
    env: "PAWL_RECONCILE_SECONDS",
    schema: z.number().min(0).max(86_400),
    default: 300,
    expected: "a number of seconds from 0 to 86400 (a day)",
    description:
      "interval between consistency checks of unfinished tasks, which repair and log deviations; 0 turns them off",
  },
  inboxSeconds: {
    env: "PAWL_INBOX_SECONDS",
    schema: z.number().min(0).max(86_400),
    default: 0.5,
    expected: "a number of seconds from 0 to 86400 (a day)",
    description: "interval between polls for tasks that were requested in SQL; 0 turns them off on this node",
  },
  insightsSeconds: {
    env: "PAWL_INSIGHTS_SECONDS",
    schema: z.number().min(0).max(86_400),
    default: 5,
    expected: "a number of seconds from 0 to 86400 (a day)",
    description:
      "interval at which new events are added to the figures of the insights; 0 turns it off on this node",
  },
  corsOrigins: {
    env: "PAWL_CORS_ORIGINS",
    schema: z.array(z.string().refine(isOrigin).transform(originOf)),
    default: [],
    expected: "a list of origins like https://example.com, without paths",
    correct: nearestOrigin,
    description: "the origins of web pages that may call the API, separated by commas",
  },
  allowedHosts: {
    env: "PAWL_ALLOWED_HOSTS",
    schema: z.array(z.string().regex(HOST_NAME)),
    default: [],
    expected: "a list of host names like pawl.example.com or *.example.com, without ports",
    correct: nearestHost,
    description:
      "the public names of this server, separated by commas; /mcp refuses others, except localhost, IP addresses and the hosts of PAWL_CORS_ORIGINS",
  },
  publicUrl: {
    env: "PAWL_PUBLIC_URL",
    schema: z.string().refine(isOrigin).transform(originOf).nullable(),
    default: null,
    expected: "an address like https://pawl.example.com, without a path",
    correct: nearestOrigin,
    description:
      "the address under which browsers reach this server, for links to sign in; default the address it listens on",
  },
  sessionDays: {
    env: "PAWL_SESSION_DAYS",
    schema: z.number().min(0.01).max(3_650),
    default: 30,
    expected: "a number of days from 0.01 to 3650",
    description: "how long a browser stays signed in at most",
  },
  sessionIdleDays: {
    env: "PAWL_SESSION_IDLE_DAYS",
    schema: z.number().min(0.01).max(3_650),
    default: 7,
    expected: "a number of days from 0.01 to 3650",
    description: "a browser is signed out after this time without a request",
  },
  bodyLimitBytes: {
    env: "PAWL_BODY_LIMIT_BYTES",
    schema: z.int().min(1_024).max(1_073_741_824),
    default: 1_048_576,
    expected: "a whole number of bytes from 1024 to 1073741824",
    description: "maximum size of a request body",
  },
  requestTimeoutSeconds: {
    env: "PAWL_REQUEST_TIMEOUT_SECONDS",
    schema: z.number().min(0.1).max(3_600),
    default: 30,
    expected: "a number of seconds from 0.1 to 3600",
    description: "how long a client may take to send a request; half of that for the headers",
  },
  requestsPerMinute: {
    env: "PAWL_REQUESTS_PER_MINUTE",
    schema: z.int().min(0).max(100_000_000),
    default: 0,
    expected: "a whole number from 0 to 100000000",
    description: "maximum number of requests per minute, for each token on each node; 0 is unlimited",
  },
  demoLanguage: {
    env: "PAWL_DEMO_LANGUAGE",
    schema: z.enum(DEMO_LANGUAGES).nullable(),
    default: null,
    expected: `one of ${DEMO_LANGUAGES.join(", ")}`,
    description: "language of a new demo; without it, that of LC_ALL, LC_MESSAGES or LANG, otherwise English",
  },
  demoPace: {
    env: "PAWL_DEMO_PACE",
    schema: z.number().min(0.1).max(1_000),
    default: 1,
    expected: "a number from 0.1 to 1000",
    description: "speed of the simulated members of the demo; 1 is human speed",
  },
} as const satisfies Record<string, Setting>;

/** An invalid value of a plugin's setting in the environment, which was ignored. */
type IgnoredSetting = { lifecycle: string; mistake: string };

type Name = keyof typeof SETTINGS;
export type Settings = SettingValues<typeof SETTINGS>;

export type ResolvedSettings = Settings & {
  /** Values of the plugins' settings, by their names. */
  plugins: Readonly<Record<string, unknown>>;
  ignored: readonly IgnoredSetting[];
};

/** The part of a plugin that is needed here. */
export type WithSettings = { lifecycle: { name: string }; settings: PluginSettings };

/** Environment variables that are read but are not settings. */
const OTHER_VARIABLES = ["PAWL_ADMIN_TOKEN", "PAWL_DEBUG", "PAWL_URL", "PAWL_TOKEN", "PAWL_TASK_ID"];

type Sources = {
  flags: Partial<Record<Name, string>>;
  env: Readonly<Record<string, string | undefined>>;
  file: Readonly<Record<string, unknown>>;
};

/** Resolves every setting from its first source, or throws INVALID_CONFIG with all mistakes. */
export function resolveSettings(sources: Sources, plugins: readonly WithSettings[]): ResolvedSettings {
  const mistakes = misspeltVariables(sources.env, plugins);
  let option: string | undefined;
  const ignored: IgnoredSetting[] = [];
  const resolve = (name: string, setting: Setting, lifecycle: string | null) => {
    const { source, value } = readSetting(name, setting, sources);
    const parsed = setting.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const mistake = mistakeIn(setting, source, value);
    if (source === setting.flag) option = source;
    if (lifecycle !== null && source === setting.env) ignored.push({ lifecycle, mistake });
    else mistakes.push(mistake);
    return setting.default;
  };
  const own = mapSettings(SETTINGS, (name, setting) => resolve(name, setting, null));
  const values = plugins.map(({ lifecycle, settings }) =>
    mapSettings(settings, (name, setting) => resolve(name, setting, lifecycle.name)),
  );
  if (mistakes.length > 0) throw invalid(mistakes, option);
  const resolved = Object.assign({}, ...values) as ResolvedSettings["plugins"];
  return { ...(own as Settings), plugins: resolved, ignored };
}

/** Throws INVALID_CONFIG if two plugins, or a plugin and Pawl itself, share the name or the variable of a setting. */
export function refuseSharedSettings(plugins: readonly WithSettings[]): void {
  const names = new Map([...Object.keys(SETTINGS), "lifecycles"].map((name) => [name, "Pawl"]));
  const variables = new Map(
    [...Object.values(SETTINGS).map(({ env }) => env), ...OTHER_VARIABLES].map((name) => [name, "Pawl"]),
  );
  const register = (owners: Map<string, string>, key: string, owner: string, sharing: string) => {
    const other = owners.get(key);
    if (other !== undefined) throw invalid([`${other} and ${owner} both ${sharing}: rename one of them.`]);
    owners.set(key, owner);
  };
  for (const { lifecycle, settings } of plugins) {
    for (const [name, { env }] of Object.entries(settings)) {
      register(names, name, lifecycle.name, `have a setting named ${name}`);
      register(variables, env, lifecycle.name, `read the environment variable ${env}`);
    }
  }
}

function mapSettings(
  settings: Readonly<Record<string, Setting>>,
  map: (name: string, setting: Setting) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, map(name, setting)]));
}

function readSetting(
  name: string,
  setting: Setting,
  { flags, env, file }: Sources,
): { source: string; value: unknown } {
  const { env: variable, flag, schema } = setting;
  const [flagged, set] = [(flags as Record<string, string | undefined>)[name], env[variable]];
  if (flagged !== undefined) return { source: flag ?? name, value: valueOf(schema, flagged) };
  // Some shells set an empty variable instead of none.
  if (set !== undefined && set !== "") return { source: variable, value: valueOf(schema, set) };
  return { source: name, value: file[name] ?? setting.default };
}

/** The keys of `pawl.config.ts`, with the message for a wrong value. */
export function settingsShape(plugins: readonly WithSettings[]): Record<string, z.ZodType> {
  const all = [SETTINGS, ...plugins.map(({ settings }) => settings)].flatMap((table) =>
    Object.entries<Setting>(table),
  );
  return Object.fromEntries(
    all.map(([name, setting]) => [
      name,
      z
        .custom((value) => setting.schema.safeParse(value).success, {
          error: ({ input }) => `must be ${setting.expected}${suggestion(setting, input)}`,
        })
        .optional(),
    ]),
  );
}

/** Converts the text of a variable or flag to the type of the schema. */
function valueOf(schema: z.ZodType, text: string): unknown {
  const { type } = z.toJSONSchema(schema, { io: "input" });
  // `Number` alone would accept "" and "0x10".
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "array" ? text.split(",").map((part) => part.trim()) : text;
}

function mistakeIn(setting: Setting, source: string, value: unknown): string {
  return setting.secret
    ? `${source} is not ${setting.expected}`
    : `${source} is ${printable(value)}, not ${setting.expected}${suggestion(setting, value)}`;
}

/** Throws INVALID_CONFIG if an invalid value of one of the lifecycle's settings was ignored. */
export function refuseIgnored({ ignored }: ResolvedSettings, lifecycle: string): void {
  const mistakes = ignored.filter((one) => one.lifecycle === lifecycle).map(({ mistake }) => mistake);
  if (mistakes.length > 0) throw invalid(mistakes);
}

/** `option`: the option of the command line with an invalid value, if there is one. */
function invalid(mistakes: readonly string[], option?: string): PawlError {
  const params = option === undefined ? {} : { option };
  return mistakes.length === 1
    ? new PawlError("INVALID_CONFIG", String(mistakes[0]), params)
    : new PawlError("INVALID_CONFIG", `The configuration: ${mistakes.join("; ")}`, { mistakes, ...params });
}

function printable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? hideCredentials(part) : part,
  );
}

function suggestion({ schema, correct }: Setting, value: unknown): string {
  if (schema instanceof z.ZodEnum && typeof value === "string")
    return didYouMean(value, schema.options.map(String));
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const meant = given.map((one) => (typeof one === "string" ? (correct?.(one) ?? null) : null));
  return meant.includes(null) ? "" : `; did you mean ${meant.join(",")}?`;
}

/** An origin as browsers send it, or with a slash at its end: a path would never be compared. */
function isOrigin(text: string): boolean {
  const url = httpUrl(text);
  return url !== null && !url.hostname.includes("*") && url.href === `${url.origin}/`;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

function nearestOrigin(text: string): string | null {
  const url = httpUrl(text) ?? (text.includes(".") ? httpUrl(`https://${text}`) : null);
  return url !== null && isOrigin(url.origin) ? url.origin : null;
}

function nearestHost(text: string): string | null {
  if (HOST_NAME.test(text)) return text;
  const host = (httpUrl(text) ?? httpUrl(`https://${text}`))?.hostname ?? "";
  return HOST_NAME.test(host) ? host : null;
}

function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** Reports only names close to a known one: an orchestrator may set other variables with the same prefix. */
function misspeltVariables(env: Sources["env"], plugins: readonly WithSettings[]): string[] {
  const settings = [SETTINGS, ...plugins.map((plugin) => plugin.settings)].flatMap((table) =>
    Object.values<Setting>(table),
  );
  const known = [...settings.map((setting) => setting.env), ...OTHER_VARIABLES];
  return Object.keys(env)
    .filter((name) => name.startsWith("PAWL_") && !known.includes(name))
    .flatMap((name) => {
      const near = nearest(name, known);
      return near === null ? [] : [`there is no setting ${name}; did you mean ${near}?`];
    });
}
