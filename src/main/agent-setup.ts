import { readFile, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { CliError, EXIT } from "../cli/index.ts";
import type { AgentServices } from "../cli/index.ts";
import { PawlError } from "../core/index.ts";
import { replaceFile } from "../std/replace-file.ts";

type Installation = { node: string; bin: string; root: string };

type AgentServiceDeps = {
  version: string;
  /** The project that an agent works in. */
  cwd: string;
  /** The running installation: the program of Node, the file that it runs, and the folder of the package. */
  installation: Installation;
  dataFolder: (flags: { data?: string }) => Promise<string>;
  streams: () => { input: NodeJS.ReadStream; output: NodeJS.WriteStream };
};

/** Implements `pawl mcp` and `pawl setup` with the standard streams, the project's files and the tokens in the data folder. */
export function agentServices(deps: AgentServiceDeps): AgentServices {
  const { version, cwd, installation, dataFolder, streams } = deps;
  return {
    serve: async ({ url, token }, { as, ...flags }) => {
      const chosen = as === undefined ? token : await tokenFile(await dataFolder(flags), as).read();
      if (chosen === null && as !== undefined)
        throw new CliError(
          EXIT.token,
          `There is no stored token of ${as}: create one with \`pawl setup generic --member ${as} --write\`.`,
        );
      const { serveStdio } = await import("../mcp/index.ts");
      await serveStdio({ url, token: chosen ?? undefined, version, ...streams() });
    },
    setUp: async ({ host, member, roles, admin, target, http, write, data }) => {
      const folder = resolve(cwd, await dataFolder(data === undefined ? {} : { data }));
      // Without an explicit address the server is looked up at each start, because its port may change.
      const explicit = target.urlFrom === "PAWL_URL" || target.urlFrom === "--url";
      const isDependency = await isInstalledIn(cwd, installation);
      const dataArgs = ["--data", isDependency ? pathWithin(cwd, folder) : folder];
      const connectArgs = explicit ? ["--url", target.url, ...dataArgs] : dataArgs;
      const mcpArgs = ["mcp", "--as", member, ...connectArgs];
      const { setUpAgent } = await import("../mcp/index.ts");
      return setUpAgent({
        host,
        member,
        roles,
        admin,
        url: target.url,
        command: http ? null : mcpCommand(installation, isDependency, mcpArgs),
        token: tokenFile(folder, member),
        files: projectFiles(cwd),
        writes: write,
      });
    },
  };
}

/**
 * Never downloads a package: `npx --no` runs only the pawl of the project, and keeps working after the project was moved.
 * Outside of such a project, the running installation is named by its path.
 */
function mcpCommand({ node, bin }: Installation, isDependency: boolean, args: readonly string[]) {
  return isDependency
    ? { command: "npx", args: ["--no", "pawl", ...args] }
    : { command: node, args: [bin, ...args] };
}

/** True if the running pawl is a dependency of the project. */
async function isInstalledIn(cwd: string, { root }: Installation): Promise<boolean> {
  try {
    return (await realpath(join(cwd, "node_modules/pawl"))) === (await realpath(root));
  } catch {
    return false;
  }
}

/** Relative to the project if it is inside, so that it stays valid after the project was moved. */
function pathWithin(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") || isAbsolute(near) ? path : near || ".";
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
