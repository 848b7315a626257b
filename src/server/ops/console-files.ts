import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ConsolePlugin } from "../../api/index.ts";
import type { AnswerPage } from "../routing/not-found.ts";
import { sendFile } from "./send-file.ts";

/** The built console, and the screens of plugins. */
export type ConsoleOptions = {
  folder: string;
  plugins?: readonly ConsolePlugin[];
  /** Folders with the screens of plugins that are not built into the console, by their names below `/plugins/`. */
  pluginFolders?: ReadonlyMap<string, string>;
};

// Allows nothing from other sites, and only one inline script, the import map of plugins, so that injected HTML cannot run
// scripts.
const policyWith = (importMapHash: string | null) =>
  [
    "default-src 'none'",
    `script-src 'self'${importMapHash === null ? "" : ` '${importMapHash}'`}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const FRESH = { "cache-control": "no-cache" };
/** For files whose names contain a hash of their content. */
const LASTING = { "cache-control": "public, max-age=31536000, immutable" };

/** Matches file names of the build, but no path, folder or hidden file. */
const FILE_NAME = /^\w[\w.-]{0,199}$/;
/** Files of a plugin's screens. */
const PLUGIN_FILE = /^(\w[\w.-]{0,99}\/){0,5}\w[\w.-]{0,199}\.(js|css|map|svg|png|woff2)$/;

/** Serves the files of the console; returns the function that answers any path of the console with its page. */
export function serveConsole(
  app: FastifyInstance,
  { folder, pluginFolders = new Map<string, string>() }: ConsoleOptions,
): AnswerPage {
  const page = {
    root: folder,
    name: "index.html",
    headers: { ...FRESH, "content-security-policy": policyWith(hashOfImportMap(folder)) },
  };
  app.get("/", async (request, reply) => {
    if (!(await sendFile(request, reply, page))) reply.callNotFound();
    return reply;
  });
  app.get("/assets/*", async (request, reply) => {
    const { "*": name = "" } = request.params as Record<string, string>;
    const file = { root: join(folder, "assets"), name, headers: LASTING };
    if (!FILE_NAME.test(name) || !(await sendFile(request, reply, file))) reply.callNotFound();
    return reply;
  });
  app.get("/plugins/:plugin/*", async (request, reply) => {
    const { plugin = "", "*": name = "" } = request.params as Record<string, string>;
    const root = pluginFolders.get(plugin);
    const isKnown = root !== undefined && PLUGIN_FILE.test(name);
    if (!isKnown || !(await sendFile(request, reply, { root, name, headers: FRESH }))) reply.callNotFound();
    return reply;
  });
  // The page is missing briefly while an upgrade replaces the files.
  return async (request, reply) => isForPeople(request) && (await sendFile(request, reply, page));
}

/** Returns the hash that allows the page's inline import map. */
function hashOfImportMap(folder: string): string | null {
  const file = join(folder, "index.html");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [, map] = /<script type="importmap">([^<]*)<\/script>/.exec(text) ?? [];
  return map === undefined ? null : `sha256-${createHash("sha256").update(map).digest("base64")}`;
}

/** Returns whether a browser opens a page: programs do not accept HTML, and below /api there are no pages. */
function isForPeople({ method, url, headers: { accept = "" } }: FastifyRequest): boolean {
  return method === "GET" && !/^\/(api|assets|plugins)\//.test(url) && accept.includes("text/html");
}
