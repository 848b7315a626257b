import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { ROOT } from "../../support/built-pawl.ts";
import { installLocked } from "../../support/install-locked.ts";
import { installPawl, packPawl } from "../../support/installed-pawl.ts";

const execute = promisify(execFile);
const EXAMPLE = join(ROOT, "examples/chat-line");
const REACT_18 = join(ROOT, "test/support/react-18");

export type ChatApp = {
  /** Errors that the TypeScript compiler reports for the page. */
  compilerOutput: string;
  /** Bundles a page with the React in this `node_modules` folder. */
  bundle: (reactFolder: string, page?: "page.tsx" | "states.tsx") => Promise<string>;
  /** The `node_modules` folder with React 19. */
  react19: string;
  /** Installs React 18 and returns its `node_modules` folder, or null without access to the registry. */
  react18: () => Promise<string | null>;
};

/** Creates a project that has Pawl installed from its package, with the page of the example. */
export async function makeChatApp(): Promise<ChatApp> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-chat-")));
  afterAll(() => rm(scratch, { recursive: true, force: true }));
  const project = join(scratch, "project");
  const { tarball } = await packPawl(scratch);
  await installPawl(tarball, project, ["@types/react", "@types/react-dom", "csstype", "react-dom"]);
  const files = ["page.tsx", "states.tsx"];
  for (const file of files) await cp(join(EXAMPLE, file), join(project, file));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    jsx: "react-jsx",
    noEmit: true,
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: files }));
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { stdout } = await execute(process.execPath, [tsc, "-p", project]).catch(
    (error: unknown) => error as { stdout: string },
  );
  return {
    compilerOutput: stdout,
    bundle: async (reactFolder, page = "page.tsx") => {
      const { outputFiles } = await build({
        absWorkingDir: project,
        entryPoints: [page],
        bundle: true,
        minify: true,
        format: "esm",
        platform: "browser",
        jsx: "automatic",
        define: { "process.env.NODE_ENV": '"development"' },
        alias: { react: join(reactFolder, "react"), "react-dom": join(reactFolder, "react-dom") },
        write: false,
      });
      return outputFiles[0]!.text;
    },
    react19: join(ROOT, "node_modules"),
    react18: () => installReact18(join(scratch, "react-18")),
  };
}

async function installReact18(folder: string): Promise<string | null> {
  return (await installLocked(REACT_18, folder)) ? join(folder, "node_modules") : null;
}

/** Serves pages by name, with a strict content security policy. */
export async function servePages(pages: Readonly<Record<string, string | null>>): Promise<string> {
  const htmlOf = async (file: string) =>
    (await readFile(join(EXAMPLE, file), "utf8")).replace(/\w+\.tsx/, "page.js");
  const [html, states] = await Promise.all([htmlOf("index.html"), htmlOf("states.html")]);
  const css = await readFile(join(EXAMPLE, "chat.css"), "utf8");
  const server = createServer((request, response) => {
    const [, page = "", file = ""] = (request.url ?? "").split("?")[0]!.split("/");
    const [type, text] =
      file === "page.js"
        ? ["text/javascript", pages[page] ?? ""]
        : file === "chat.css"
          ? ["text/css", css]
          : ["text/html; charset=utf-8", page === "states" ? states : html];
    const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src http://127.0.0.1:*";
    response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a free port, for a server that is restarted at the same address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
