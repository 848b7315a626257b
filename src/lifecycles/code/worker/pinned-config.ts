import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_HOOKS } from "./git.ts";
import type { Git } from "./git.ts";

/**
 * Settings that name a program, each with a value that runs none. Agents can write to the repository's configuration, which
 * must not make Pawl's own git calls run a program. Settings with a fixed name that Pawl never needs are in git.ts.
 */
const RUN_PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^filter\..+\.(clean|smudge|process)$/, ""],
  [/^filter\..+\.required$/, "false"],
  // A failing driver leaves a conflict; one that does nothing would drop the other side's changes.
  [/^merge\..+\.driver$/, "false"],
  [/^credential(\..+)?\.helper$/, ""],
  [/^core\.sshcommand$/, "ssh"],
  [/^core\.askpass$/, ""],
  [/^remote\..+\.(uploadpack|vcs)$/, "git-upload-pack"],
  [/^submodule\..+\.update$/, "checkout"],
];

export type PinnedConfig = {
  /** Folder of the user's hooks; null if there are none. */
  hooksPath: string | null;
  /** Returns the environment that restores changed settings. `list` reads the configuration as the call would see it. */
  environment: (gitDir: string, list: Git) => Promise<Record<string, string>>;
};

/**
 * Saves the programs that the repository's configuration names now, before any agent runs. For Pawl's calls, later values are
 * replaced by these, or by a value that runs nothing.
 */
export async function pinConfig(common: string, git: Git): Promise<PinnedConfig> {
  const before = new Map<string, string[]>();
  for (const { scope, key, value } of await listConfig(git)) {
    // Set by the listing call itself.
    if (scope === "command" && value === NO_HOOKS) continue;
    before.set(key, [...(before.get(key) ?? []), value]);
  }
  const text = await configText(common, common);
  const included = /^\s*\[\s*include/im.test(text);
  return {
    hooksPath: before.get("core.hookspath")?.at(-1) ?? defaultHooks(common),
    environment: async (gitDir, list) => {
      if (!included && (await configText(common, gitDir)) === text) return {};
      const shared = (await listConfig(list)).filter(
        ({ scope }) => scope === "local" || scope === "worktree",
      );
      return asEnvironment([...new Set(shared.map(({ key }) => key))].flatMap((key) => pinsOf(key, before)));
    },
  };
}

function pinsOf(key: string, before: ReadonlyMap<string, string[]>): [string, string][] {
  const neutral = RUN_PROGRAMS.find(([pattern]) => pattern.test(key))?.[1];
  if (neutral === undefined) return [];
  const values = before.get(key) ?? [neutral];
  // Helpers are a list, which an empty value resets; for other settings the last value counts.
  if (key.endsWith(".helper")) return ["", ...values].map((value) => [key, value]);
  return [[key, values.at(-1) ?? neutral]];
}

/** Uses GIT_CONFIG_COUNT, after the user's own entries: there a name may contain any character. */
function asEnvironment(pins: readonly (readonly [string, string])[]): Record<string, string> {
  if (pins.length === 0) return {};
  const first = Number(process.env.GIT_CONFIG_COUNT ?? 0) || 0;
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(first + pins.length)],
    ...pins.flatMap(([key, value], n) => [
      [`GIT_CONFIG_KEY_${first + n}`, key],
      [`GIT_CONFIG_VALUE_${first + n}`, value],
    ]),
  ]) as Record<string, string>;
}

type Setting = { scope: string; key: string; value: string };

async function listConfig(git: Git): Promise<Setting[]> {
  const fields = (await git(["config", "--list", "--show-scope", "-z"])).split("\u0000");
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = "", ...value] = (fields[at + 1] ?? "").split("\n");
    settings.push({ scope: fields[at] ?? "", key, value: value.join("\n") });
  }
  return settings;
}

async function configText(common: string, gitDir: string): Promise<string> {
  const texts = [join(common, "config"), join(gitDir, "config.worktree")].map((path) =>
    readFile(path, "utf8").catch(() => ""),
  );
  return (await Promise.all(texts)).join("\u0000");
}

/** Returns the repository's own hook folder if it contains a hook. */
function defaultHooks(common: string): string | null {
  const folder = join(common, "hooks");
  try {
    return readdirSync(folder).some((name) => !name.endsWith(".sample")) ? folder : null;
  } catch {
    return null;
  }
}
