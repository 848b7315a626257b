import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { varyByEncoding } from "../routing/compress-answers.ts";
import type { AnswerPage } from "../routing/not-found.ts";

// Nothing from elsewhere, nothing inline: what a task's title says can never become a script.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = { "content-security-policy": POLICY, "cache-control": "no-cache" };
/** Their names are made of what is in them. */
const LASTING = { "cache-control": "public, max-age=31536000, immutable" };

/** Matches the file names that the build makes, and no path, folder or hidden file. */
const FILE_NAME = /^\w[\w.-]{0,199}$/;

/** Puts the files of the console on the server; gives what answers for its page wherever in it one begins. */
export async function serveConsole(app: FastifyInstance, folder: string): Promise<AnswerPage> {
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
  const send = (request: FastifyRequest, reply: FastifyReply, file: string) => {
    // Always the whole file: there is no problem code for a precondition or a range that fails.
    delete request.headers["if-match"];
    delete request.headers["if-unmodified-since"];
    return varyByEncoding(reply).sendFile(file, folder, { cacheControl: false, acceptRanges: false });
  };
  // The page is missing for a moment while an upgrade replaces the files.
  const sendPage = (request: FastifyRequest, reply: FastifyReply) =>
    existsSync(join(folder, "index.html")) ? send(request, reply.headers(PAGE), "index.html") : null;
  app.get("/", (request, reply) => {
    if (!sendPage(request, reply)) reply.callNotFound();
  });
  app.get("/assets/*", (request, reply) => {
    const { "*": name = "" } = request.params as Record<string, string>;
    if (FILE_NAME.test(name)) send(request, reply.headers(LASTING), `assets/${name}`);
    else reply.callNotFound();
  });
  return (request, reply) => (isForPeople(request) ? sendPage(request, reply) : null);
}

/** A browser that opens an address, and not a program that mistook one: below /api there are no pages. */
function isForPeople({ method, url, headers: { accept = "" } }: FastifyRequest): boolean {
  return method === "GET" && !/^\/(api|assets)\//.test(url) && accept.includes("text/html");
}
