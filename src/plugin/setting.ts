import type { z } from "zod";

/** A setting of the process. Its value comes from a flag, the environment or `pawl.config.ts`, in this order, or is the default. */
export type Setting = {
  /** The environment variable. */
  env: string;
  /** The command-line option of Pawl's own settings. */
  flag?: string;
  schema: z.ZodType;
  default: unknown;
  /** Describes a valid value; shown when validation fails. */
  expected: string;
  /** One line for the documentation. */
  description: string;
  /** Set for secrets: error messages do not repeat the value. */
  secret?: true;
  /** Guesses the valid value that an invalid one was meant to be, for the error message; in a list it gets each element. */
  correct?: (value: string) => string | null;
};

/**
 * A setting of a plugin. An invalid value in the environment is logged and the default is used, so that the other lifecycles
 * keep running; an invalid value in `pawl.config.ts` stops the start.
 *
 * ```ts
 * settings: {
 *   invoicesCurrency: {
 *     env: "INVOICES_CURRENCY",
 *     schema: z.string().length(3),
 *     default: "EUR",
 *     expected: "a currency code of three letters",
 *     description: "the currency of all invoices",
 *   },
 * },
 * ```
 */
export type PluginSetting = Setting & {
  /** Name of a project setting of the lifecycle; this setting becomes its default. */
  projectDefault?: string;
};

/** The settings of a plugin, by their keys in `pawl.config.ts`. */
export type PluginSettings = Readonly<Record<string, PluginSetting>>;

/** The types of the settings' values, by name. */
export type SettingValues<S extends Readonly<Record<string, Setting>>> = {
  [Name in keyof S]: z.output<S[Name]["schema"]>;
};

/** Returns the values of a plugin's own settings, with their types, from the settings that `startProcess` returns. */
export function settingValues<S extends PluginSettings>(
  settings: S,
  values: Readonly<Record<string, unknown>>,
): SettingValues<S> {
  const own = Object.entries(settings).map(([name, { schema }]) => [name, schema.parse(values[name])]);
  return Object.fromEntries(own) as SettingValues<S>;
}
