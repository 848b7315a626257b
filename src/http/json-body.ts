import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { PawlError } from "../core/index.ts";
import { unreadable } from "./problem-reply.ts";

/** Bodies are JSON in UTF-8 and nothing else; one that is empty is none. */
export function readJsonBodies(app: FastifyInstance): void {
  // A key that would reach for an object's prototype is refused.
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    // Decoding would put question marks where the sender meant something.
    if (!isUtf8(body)) {
      done(invalid("it is not UTF-8"));
      return;
    }
    void parseJson(request, body.toString(), (error, parsed) => {
      if (error) done(invalid("it is not JSON"));
      else done(null, parsed);
    });
  });
}

function invalid(why: string): PawlError {
  const { code, detail, params } = unreadable(why);
  return new PawlError(code, detail, params);
}
