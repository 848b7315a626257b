import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ShownVersions } from "../cli/index.ts";
import { replaceFile } from "../std/replace-file.ts";

const MAX_ENTRIES = 1000;

/**
 * The versions of tasks that terminals have shown, in a file in the user's state folder. A file that cannot be read or written
 * counts as empty, because every command works without it.
 */
export function shownVersionsFile({ XDG_STATE_HOME, HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): ShownVersions {
  // An empty variable counts as unset.
  const folder = [XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")].find(Boolean);
  const file = folder ? join(folder, "pawl", "shown-versions.json") : null;
  const read = async () => {
    if (file === null) return new Map<string, unknown>();
    const entries: unknown = await readFile(file, "utf8")
      .then(JSON.parse)
      .catch(() => null);
    return new Map<string, unknown>(entries instanceof Object ? Object.entries(entries) : []);
  };
  const keyOf = (url: string, id: string) => `${url} ${id}`;
  return {
    find: async (url, id) => {
      const version = (await read()).get(keyOf(url, id));
      return typeof version === "number" ? version : null;
    },
    save: async (url, tasks) => {
      if (file === null || tasks.length === 0) return;
      const entries = await read();
      for (const { id, row_version } of tasks) {
        const key = keyOf(url, id);
        entries.delete(key);
        entries.set(key, row_version);
      }
      const text = JSON.stringify(Object.fromEntries([...entries].slice(-MAX_ENTRIES)));
      await replaceFile(file, text, { mode: 0o600, folderMode: 0o700 }).catch(() => undefined);
    },
  };
}
