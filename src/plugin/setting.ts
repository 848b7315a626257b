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
