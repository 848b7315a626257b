import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AnswerPage } from "./not-found.ts";

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

/** Puts the files of the console on the server; gives what answers for its page wherever in it one begins. */
export async function serveConsole(app: FastifyInstance, folder: string): Promise<AnswerPage> {
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
  const sendPage = (reply: FastifyReply) =>
    reply.headers(PAGE).sendFile("index.html", folder, { cacheControl: false });
  app.get("/", (_, reply) => sendPage(reply));
  app.get("/assets/*", (request, reply) => {
    const { "*": name = "" } = request.params as Record<string, string>;
    return reply.headers(LASTING).sendFile(`assets/${name}`, folder, { cacheControl: false });
  });
  return (request, reply) => (isForPeople(request) ? sendPage(reply) : null);
}

/** A browser that opens an address, and not a program that mistook one: below /api there are no pages. */
function isForPeople({ method, url, headers: { accept = "" } }: FastifyRequest): boolean {
  return method === "GET" && !/^\/(api|assets)\//.test(url) && accept.includes("text/html");
}
