import { z } from "zod";
import { parseYaml } from "../../../std/parse-yaml.ts";
import type { Repository } from "./repository.ts";
import { WorkerUnusable } from "./worker-errors.ts";

/** The file in the repository with its set-up. It is read from the target branch only. */
export const SETUP_FILE = "pawl.code.yaml";

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const minutes = z.number().positive().max(10_080);

const content = z.strictObject({
  setup: z.string().min(1).optional(),
  copy: texts.optional(),
  setup_cache: texts.optional(),
  setup_timeout_minutes: minutes.optional(),
  cleanup: z.string().min(1).optional(),
  cleanup_timeout_minutes: minutes.optional(),
});

export type SetupFile = z.output<typeof content>;

/** Reads the set-up file of the target branch, never that of a worktree. Returns null if there is none. */
export async function readSetupFile(repository: Repository): Promise<{ id: string; file: SetupFile } | null> {
  const id = await setupFileId(repository);
  if (id === null) return null;
  const document = parseYaml(await repository.git(["cat-file", "blob", id]), { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake) throw wrong(repository, mistake.message.split("\n")[0] ?? "");
  const parsed = content.safeParse(valueOf(repository, document) ?? {});
  if (parsed.success) return { id, file: parsed.data };
  const [issue] = parsed.error.issues;
  throw wrong(repository, `${issue?.path.join(".") ?? ""} ${issue?.message ?? "invalid"}`.trim());
}

function valueOf(repository: Repository, document: ReturnType<typeof parseYaml>): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Aliases that multiply would fill the memory.
    throw wrong(repository, (error as Error).message);
  }
}

/** Returns the id of the file's content on the target branch; null if there is none. */
export async function setupFileId({ git, target }: Repository): Promise<string | null> {
  return git(["rev-parse", "--verify", "--quiet", `refs/heads/${target}:${SETUP_FILE}`]).catch(() => null);
}

function wrong({ target }: Repository, what: string): WorkerUnusable {
  return new WorkerUnusable(
    `${SETUP_FILE} on ${target}: ${what}. Correct and commit it, or ignore it with --no-setup-file.`,
  );
}
