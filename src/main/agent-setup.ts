import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AgentStation } from "../cli/index.ts";
import { PawlError } from "../core/index.ts";
import { replaceFile } from "../std/replace-file.ts";

type Ground = {
  version: string;
  /** The project that an agent works in. */
  cwd: string;
  dataFolder: (flags: { data?: string }) => Promise<string>;
  streams: () => { input: NodeJS.ReadStream; output: NodeJS.WriteStream };
};

/** What `pawl mcp` and `pawl setup` stand on: standard streams, the project's files, and tokens beside the data. */
export function agentStation({ version, cwd, dataFolder, streams }: Ground): AgentStation {
  return {
    serve: async ({ url, token }, { as, ...flags }) => {
      const own = as === undefined ? token : await tokenFile(await dataFolder(flags), as).read();
      if (own === null && as !== undefined)
        throw new PawlError(
          "INVALID_CONFIG",
          `There is no token of ${as}: \`pawl setup generic --member ${as}\` makes one.`,
        );
      const { serveStdio } = await import("../mcp/index.ts");
      await serveStdio({ url, token: own ?? undefined, version, ...streams() });
    },
    setUp: async ({ host, member, roles, admin, place, http, write, data }) => {
      const folder = resolve(cwd, await dataFolder(data === undefined ? {} : { data }));
      // A server that was not named is found anew with each start: its port may be another by then.
      const named = place.urlFrom === "PAWL_URL" || place.urlFrom === "--url";
      const where = named ? ["--url", place.url, "--data", folder] : ["--data", folder];
      const { setUpAgent } = await import("../mcp/index.ts");
      return setUpAgent({
        host,
        member,
        roles,
        admin,
        url: place.url,
        command: http ? null : { command: "npx", args: ["-y", "pawl", "mcp", "--as", member, ...where] },
        token: tokenFile(folder, member),
        files: projectFiles(cwd),
        writes: write,
      });
    },
  };
}

/** `<data>/agents/<member>.token` */
function tokenFile(data: string, member: string) {
  const path = join(data, "agents", `${encodeURIComponent(member)}.token`);
  return {
    path,
    read: async () => (await readText(path))?.trim() ?? null,
    write: (token: string) => writeText(path, `${token}\n`, { secret: true }),
  };
}

function projectFiles(cwd: string) {
  return {
    read: (path: string) => readText(join(cwd, path)),
    write: (path: string, text: string, options: { secret: boolean }) =>
      writeText(join(cwd, path), text, options),
  };
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new PawlError("INVALID_CONFIG", `${path} cannot be read: ${(error as Error).message}.`);
  }
}

async function writeText(path: string, text: string, { secret }: { secret: boolean }): Promise<void> {
  try {
    await replaceFile(path, text, secret ? { mode: 0o600, folderMode: 0o700 } : { mode: 0o644 });
  } catch (error) {
    throw new PawlError("INVALID_CONFIG", `${path} cannot be written: ${(error as Error).message}.`);
  }
}
