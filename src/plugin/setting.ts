import type { z } from "zod";

/** One setting of the process: from a flag, the environment or `pawl.config.ts`, in this order, else its default. */
export type Setting = {
  env: string;
  flag?: string;
  schema: z.ZodType;
  default: unknown;
  /** Describes a valid value; shown when validation fails. */
  expected: string;
  description: string;
  /** A wrong value is not repeated in messages. */
  secret?: true;
};

/** A setting that only one plugin uses: a wrong value in the environment is logged and ignored, so that all else runs. */
export type PluginSetting = Setting & {
  /** The project setting of the lifecycle whose default this is. */
  projectDefault?: string;
};

export type PluginSettings = Readonly<Record<string, PluginSetting>>;

/** The values of settings, by their names. */
export type SettingValues<S extends Readonly<Record<string, Setting>>> = {
  [Name in keyof S]: z.output<S[Name]["schema"]>;
};

/** A plugin's own values among the settings of a process, as `startProcess` gives them. */
export function settingValues<S extends PluginSettings>(
  settings: S,
  values: Readonly<Record<string, unknown>>,
): SettingValues<S> {
  const own = Object.entries(settings).map(([name, { schema }]) => [name, schema.parse(values[name])]);
  return Object.fromEntries(own) as SettingValues<S>;
}
