import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Repository } from "./repository.ts";
import type { Worktree } from "./worktree.ts";

const setupRecord = z.object({
  /** "cleaned": the clean-up command has run, and the next attempt in this worktree sets it up again. */
  state: z.enum(["begun", "done", "cleaned"]),
  /** Names of the caches that fit the worktree. */
  keys: z.array(z.string().nullable()),
  /** Files from the user's checkout, which must not be merged. */
  copied: z.array(z.string()),
});

/** The state of a worktree's set-up. Kept in git's record of the worktree, so it is removed with the worktree. */
export type SetupRecord = z.output<typeof setupRecord>;
export type RecordPlace = { repository: Repository; worktree: Pick<Worktree, "path"> };

const FILE = "pawl-setup";

/** Reads the record of a worktree; null if it was never set up. */
export async function readRecord(place: RecordPlace): Promise<SetupRecord | null> {
  try {
    return setupRecord.parse(JSON.parse(await readFile((await fileOf(place)) ?? "", "utf8")));
  } catch {
    return null;
  }
}

export async function writeRecord(place: RecordPlace, record: SetupRecord): Promise<void> {
  const file = await fileOf(place);
  if (file === null) return;
  // Never through a link, which an agent could have put there.
  await rm(file, { recursive: true, force: true });
  await writeFile(file, JSON.stringify(record), { flag: "wx", mode: 0o600 });
}

async function fileOf({ repository, worktree }: RecordPlace): Promise<string | null> {
  const gitDir = ["rev-parse", "--path-format=absolute", "--git-dir"];
  const home = await repository
    .inside(worktree.path)(gitDir)
    .catch(() => null);
  return home === null ? null : join(home, FILE);
}
