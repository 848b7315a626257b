import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { findTooDeep, MAX_JSON_DEPTH, PawlError, shownErrors, TOO_DEEP } from "../../core/index.ts";
import { unreadableBody } from "./problem-reply.ts";

/** Accepts bodies only as JSON in UTF-8; an empty body counts as none. */
export function readJsonBodies(app: FastifyInstance): void {
  // Refuses keys such as `__proto__`.
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    // Decoding would silently replace invalid bytes.
    if (!isUtf8(body)) {
      done(invalid("it is not UTF-8"));
      return;
    }
    // Before parsing, because later code may recurse over the body.
    if (isNestedTooDeep(body)) {
      done(tooDeep(body));
      return;
    }
    void parseJson(request, body.toString(), (error, parsed) => {
      if (error) done(invalid("it is not JSON"));
      else done(null, parsed);
    });
  });
}

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('"\\[]{}');

function isNestedTooDeep(json: Buffer): boolean {
  if (json.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === LIST || byte === OBJECT) depth++;
    else if (byte === LIST_END || byte === OBJECT_END) depth--;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

function tooDeep(body: Buffer): PawlError {
  const path = pathToTooDeep(body);
  const detail = `${path === "" ? "The body" : `"${path}"`} is ${TOO_DEEP}`;
  return new PawlError("VALIDATION_ERROR", detail, { errors: shownErrors([{ path, message: TOO_DEEP }]) });
}

/** Safe on a deep body: JSON.parse does not recurse, and the search stops at the maximum depth. */
function pathToTooDeep(body: Buffer): string {
  try {
    return findTooDeep(JSON.parse(body.toString()))?.join(".") ?? "";
  } catch {
    return "";
  }
}

function invalid(why: string): PawlError {
  const { code, detail, params } = unreadableBody(why);
  return new PawlError(code, detail, params);
}
