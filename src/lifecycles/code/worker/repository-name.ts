import { resolve } from "node:path";
import { gitIn } from "./git.ts";
import type { Git } from "./git.ts";

/** Returns the name of the repository that contains a folder; null if there is none. */
export async function findRepositoryName(path: string): Promise<string | null> {
  const git = gitIn({ cwd: resolve(path) });
  const read = async (flag: string) => git(["rev-parse", "--path-format=absolute", flag]);
  try {
    const bare = (await git(["rev-parse", "--is-bare-repository"])) === "true";
    return await repositoryName(git, await read(bare ? "--git-common-dir" : "--show-toplevel"));
  } catch {
    return null;
  }
}

/**
 * Returns the name by which tasks refer to a repository: the git setting `pawl.repository`, or else the address of its remote
 * `origin`, which is the same for every clone, or else its path.
 */
export async function repositoryName(git: Git, root: string): Promise<string> {
  const chosen = await settingOf(git, "pawl.repository");
  if (chosen !== null) return chosen;
  const origin = await settingOf(git, "remote.origin.url");
  return origin === null ? root : shortAddress(origin);
}

/** Shortens an address to host and path: `git@example.org:acme/shop.git` becomes `example.org/acme/shop`. */
export function shortAddress(address: string): string {
  const [, scheme, location = address] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(address) ?? [];
  const isLocal = scheme?.toLowerCase() === "file" || (scheme === undefined && /^[./~\\]/.test(location));
  const short = location.replace(/\/+$/, "").replace(/\.git$/, "");
  if (isLocal) return short;
  const [, host = "", path = ""] = /^(?:[^@/]*@)?([^:/]+)(?::\d+(?=\/))?[:/]\/*(.*)$/.exec(short) ?? [];
  return host === "" ? short : `${host.toLowerCase()}/${path}`;
}

async function settingOf(git: Git, name: string): Promise<string | null> {
  const value = await git(["config", "--get", name]).catch(() => "");
  return value.trim() === "" ? null : value.trim();
}
