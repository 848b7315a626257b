import { z } from "zod";
import { didYouMean, hideCredentials, nearest, PawlError } from "../core/index.ts";
import { isPostgresUrl } from "../postgres/index.ts";
import { DELIVERY_SETTINGS } from "../lifecycles/delivery/settings.ts";

const postgresUrl = {
  flag: null,
  schema: z.string().trim().refine(isPostgresUrl).nullable(),
  byDefault: null,
  expects: "the address of a PostgreSQL, like postgres://user:password@host:5432/database",
  secret: true,
} as const;

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** What can be set, and where: a flag goes before the environment, that before `pawl.config.ts`, that before the default. */
export const SETTINGS = {
  host: {
    env: "PAWL_HOST",
    flag: "--host",
    schema: z.string().trim().min(1),
    byDefault: "127.0.0.1",
    expects: "an address to listen on",
    about: "the address to listen on; only this machine can reach the default one",
  },
  port: {
    env: "PAWL_PORT",
    flag: "--port",
    schema: z.int().min(0).max(65_535),
    byDefault: 4747,
    expects: "a whole number from 0 to 65535",
    about: "the port to listen on; 0 for any that is free",
  },
  data: {
    env: "PAWL_DATA",
    flag: "--data",
    schema: z.string().trim().min(1),
    byDefault: ".pawl",
    expects: "the path of a folder",
    about: "the folder of the embedded database and of the admin's token",
  },
  databaseUrl: {
    ...postgresUrl,
    env: "DATABASE_URL",
    about: "a PostgreSQL 15 or newer of your own, in place of the embedded one",
  },
  directUrl: {
    ...postgresUrl,
    env: "PAWL_DIRECT_URL",
    about:
      "a way to the same PostgreSQL past the pooler that DATABASE_URL names, to hear other nodes at once",
  },
  databaseConnections: {
    env: "PAWL_DATABASE_CONNECTIONS",
    flag: null,
    schema: z.int().min(2).max(1_000),
    byDefault: 10,
    expects: "a whole number from 2 to 1000",
    about: "the most connections to the database that this node opens",
  },
  preparedStatements: {
    env: "PAWL_PREPARED_STATEMENTS",
    flag: null,
    schema: z.boolean(),
    byDefault: true,
    expects: "true or false",
    about: "off only behind a pooler that does not keep prepared statements (PgBouncer before 1.21)",
  },
  logLevel: {
    env: "PAWL_LOG_LEVEL",
    flag: null,
    schema: z.enum(LOG_LEVELS),
    byDefault: "info",
    expects: `one of ${LOG_LEVELS.join(", ")}`,
    about: "how much is logged; debug has a line for every request",
  },
  sweepSeconds: {
    env: "PAWL_SWEEP_SECONDS",
    flag: null,
    schema: z.number().min(0).max(86_400),
    byDefault: 60,
    expects: "a number of seconds up to a day",
    about: "how often timers are looked at; fractions are allowed, 0 is never",
  },
  retentionDays: {
    env: "PAWL_RETENTION_DAYS",
    flag: null,
    schema: z.number().min(0).max(36_500),
    byDefault: 0,
    expects: "a number of days up to a hundred years",
    about:
      "how long finished tasks are kept, with their journals, and messages of chats; then they are deleted. 0 is for ever",
  },
  botActionMaxProcessingHours: {
    lifecycle: "bot-actions",
    env: "BOT_ACTION_MAX_PROCESSING_HOURS",
    flag: null,
    schema: z.number().positive().max(87_600),
    byDefault: 2,
    expects: "a number of hours above 0, up to ten years",
    about: "how long a bot may be busy without being heard of; fractions are allowed",
  },
  botActionWatchdogIntervalMinutes: {
    lifecycle: "bot-actions",
    env: "BOT_ACTION_WATCHDOG_INTERVAL_MINUTES",
    flag: null,
    schema: z.number().positive().max(10_080),
    byDefault: 30,
    expects: "a number of minutes above 0, up to a week",
    about: "how often the watchdog looks for bots that were busy too long; fractions are allowed",
  },
  reconcileSeconds: {
    env: "PAWL_RECONCILE_SECONDS",
    flag: null,
    schema: z.number().min(0).max(86_400),
    byDefault: 300,
    expects: "a number of seconds up to a day",
    about: "how often what events may have missed is looked for, repaired and logged; 0 is never",
  },
  corsOrigins: {
    env: "PAWL_CORS_ORIGINS",
    flag: null,
    schema: z.array(z.url({ protocol: /^https?$/ })),
    byDefault: [],
    expects: "a list of origins like https://example.com",
    about: "the origins that browsers may call from, separated by commas",
  },
  allowedHosts: {
    env: "PAWL_ALLOWED_HOSTS",
    flag: null,
    schema: z.array(z.string().regex(/^(\*\.)?[\w-]+(\.[\w-]+)*$/)),
    byDefault: [],
    expects: "a list of host names like pawl.example.com or *.example.com, without ports",
    about:
      "the public names of this server, separated by commas; /mcp refuses others, except localhost, IP addresses and the hosts of PAWL_CORS_ORIGINS",
  },
  bodyLimitBytes: {
    env: "PAWL_BODY_LIMIT_BYTES",
    flag: null,
    schema: z.int().min(1_024).max(1_073_741_824),
    byDefault: 1_048_576,
    expects: "a whole number of bytes from 1024 to 1073741824",
    about: "the largest body that is taken",
  },
  requestTimeoutSeconds: {
    env: "PAWL_REQUEST_TIMEOUT_SECONDS",
    flag: null,
    schema: z.number().min(0.1).max(3_600),
    byDefault: 30,
    expects: "a number of seconds from 0.1 to 3600",
    about: "how long a client may take to send a request; half of it for the headers",
  },
  requestsPerMinute: {
    env: "PAWL_REQUESTS_PER_MINUTE",
    flag: null,
    schema: z.int().min(0).max(100_000_000),
    byDefault: 0,
    expects: "a whole number from 0 to 100000000",
    about: "how often a token may be used, on each node; 0 is without limit",
  },
  demoPace: {
    env: "PAWL_DEMO_PACE",
    flag: null,
    schema: z.number().min(0.1).max(1_000),
    byDefault: 1,
    expects: "a number from 0.1 to 1000",
    about: "how fast the members of the demo are; 1 is a human's pace",
  },
  ...ofLifecycle("delivery", DELIVERY_SETTINGS),
} as const satisfies Record<string, Setting>;

export type Setting = {
  env: string;
  flag: string | null;
  schema: z.ZodType;
  byDefault: unknown;
  /** What a wrong value is told that it is not. */
  expects: string;
  about: string;
  /** A wrong value is not told again. */
  secret?: true;
  /** Only this lifecycle uses the setting; a wrong value in the environment is ignored, so that everything else runs. */
  lifecycle?: string;
};

/** A value in the environment that was ignored, and why. */
type IgnoredSetting = { lifecycle: string; mistake: string };

type Name = keyof typeof SETTINGS;
export type Settings = { [N in Name]: z.output<(typeof SETTINGS)[N]["schema"]> };

export type ResolvedSettings = Settings & { ignored: readonly IgnoredSetting[] };

/** Not settings, but read all the same. */
const OTHER_VARIABLES = ["PAWL_ADMIN_TOKEN", "PAWL_DEBUG", "PAWL_URL", "PAWL_TOKEN", "PAWL_TASK_ID"];

type Sources = {
  flags: Partial<Record<Name, string>>;
  env: Readonly<Record<string, string | undefined>>;
  file: Partial<Settings>;
};

/** Every setting from the first place that gives it, or INVALID_CONFIG naming all that is wrong. */
export function resolveSettings(sources: Sources): ResolvedSettings {
  const mistakes = misspelt(sources.env);
  const ignored: IgnoredSetting[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [Name, Setting][]) {
    const { place, value } = given(name, setting, sources);
    const parsed = setting.schema.safeParse(value);
    settings[name] = parsed.success ? parsed.data : setting.byDefault;
    if (parsed.success) continue;
    const mistake = mistakeIn(setting, place, value);
    if (setting.lifecycle === undefined || place !== setting.env) mistakes.push(mistake);
    else ignored.push({ lifecycle: setting.lifecycle, mistake });
  }
  if (mistakes.length > 0) throw invalid(mistakes);
  return { ...(settings as Settings), ignored };
}

function given(
  name: Name,
  { env: variable, flag, schema, byDefault }: Setting,
  { flags, env, file }: Sources,
): { place: string; value: unknown } {
  const [flagged, set] = [flags[name], env[variable]];
  if (flagged !== undefined) return { place: flag ?? name, value: valueOf(schema, flagged) };
  // An empty variable is how some shells say that there is none.
  if (set !== undefined && set !== "") return { place: variable, value: valueOf(schema, set) };
  return { place: name, value: file[name] ?? byDefault };
}

/** The keys of `pawl.config.ts`, with the words for a wrong value. */
export function settingsShape(): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { schema, expects }]) => [
      name,
      z.custom((value) => schema.safeParse(value).success, { error: `must be ${expects}` }).optional(),
    ]),
  );
}

/** Variables and flags are texts; what they stand for is in the schema. */
function valueOf(schema: z.ZodType, text: string): unknown {
  const { type } = z.toJSONSchema(schema, { io: "input" });
  // Not `Number` alone: it takes "" and "0x10" for numbers, and makes null of the rest when it is told.
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "array" ? text.split(",").map((part) => part.trim()) : text;
}

function mistakeIn(setting: Setting, place: string, value: unknown): string {
  return setting.secret
    ? `${place} is not ${setting.expects}`
    : `${place} is ${shown(value)}, not ${setting.expects}${meant(setting, value)}`;
}

/** Throws INVALID_CONFIG if a wrong value of one of the lifecycle's own settings was ignored. */
export function refuseIgnored({ ignored }: ResolvedSettings, lifecycle: string): void {
  const mistakes = ignored.filter((one) => one.lifecycle === lifecycle).map(({ mistake }) => mistake);
  if (mistakes.length > 0) throw invalid(mistakes);
}

function invalid(mistakes: readonly string[]): PawlError {
  return mistakes.length === 1
    ? new PawlError("INVALID_CONFIG", String(mistakes[0]))
    : new PawlError("INVALID_CONFIG", `The configuration: ${mistakes.join("; ")}`, { mistakes });
}

function ofLifecycle<const S extends Record<string, object>, const L extends string>(
  lifecycle: L,
  settings: S,
): { [N in keyof S]: S[N] & { lifecycle: L } } {
  const entries = Object.entries(settings).map(([name, setting]) => [name, { ...setting, lifecycle }]);
  return Object.fromEntries(entries) as { [N in keyof S]: S[N] & { lifecycle: L } };
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? hideCredentials(part) : part,
  );
}

function meant({ schema }: Setting, value: unknown): string {
  return schema instanceof z.ZodEnum && typeof value === "string"
    ? didYouMean(value, schema.options.map(String))
    : "";
}

/** Only what is close to a name of ours: an orchestrator may set others that begin the same. */
function misspelt(env: Sources["env"]): string[] {
  const known = [...Object.values(SETTINGS).map((setting) => setting.env), ...OTHER_VARIABLES];
  return Object.keys(env)
    .filter((name) => name.startsWith("PAWL_") && !known.includes(name))
    .flatMap((name) => {
      const near = nearest(name, known);
      return near === null ? [] : [`there is no setting ${name}; did you mean ${near}?`];
    });
}
