import { createHash } from "node:crypto";
import { PawlError } from "../core/index.ts";

/** The name that all SQL texts use for the schema; another one replaces it when a statement is sent. */
export const DEFAULT_SCHEMA = "pawl";

/** PostgreSQL truncates names after 63 bytes; channels are named after the schema, so it has to be shorter. */
const MAX_BYTES = 48;

/** Describes a valid name, for error messages. */
export const VALID_SCHEMA_NAME = `a name of at most ${MAX_BYTES} bytes that does not begin with pg_ and contains no quotes, backslashes, dollar signs or control characters`;

/** Checks a schema's name. Quotes, backslashes and dollar signs could end the literals and function bodies that contain the name. */
export function isSchemaName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.trim() !== "" &&
    Buffer.byteLength(name) <= MAX_BYTES &&
    !/^pg_/i.test(name) &&
    name !== "information_schema" &&
    !/['"\\$\u0000-\u001f\u007f]/.test(name)
  );
}

/** Throws INVALID_CONFIG for an invalid name. */
export function checkSchemaName(name: unknown): void {
  if (!isSchemaName(name))
    throw new PawlError(
      "INVALID_CONFIG",
      `schema must be ${VALID_SCHEMA_NAME}, not ${JSON.stringify(name)}.`,
    );
}

/** Statement texts are constants, so few are ever cached; the limit is for texts that are composed. */
const MAX_CACHED_TEXTS = 2_000;

/** Returns a function that rewrites SQL texts from the schema `pawl` to another one; each text is rewritten once. */
export function schemaRewriter(schema: string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let rewritten = known.get(text);
    if (rewritten === undefined) {
      rewritten = rewriteSchema(text, schema);
      if (known.size >= MAX_CACHED_TEXTS) known.clear();
      known.set(text, rewritten);
    }
    return rewritten;
  };
}

/** Returns the name of a NOTIFY channel (`pawl_commits`) for another schema. */
export function channelIn(schema: string, channel: string): string {
  return channel.replace(/^pawl_/, () => `${schema}_`);
}

/**
 * The forms in which SQL texts name the schema: before a dot, after the word `schema`, in a search_path, as literals that are cast to
 * `regnamespace` or `name`, in names of channels, and as the comment after the seed of advisory locks.
 */
const FORMS =
  /"pawl"(?=\s*\.)|(?<![\w$."@/-])pawl(?=\.["a-z_])|(?<=\bschema\s+)pawl\b|(?<=\bsearch_path\s*(?:=|to)[^;\n]*?[\s,=])pawl\b|'pawl'(?=::regnamespace)|'pawl'(?=::name)|'pawl_(?=[a-z_]+')|\b0 \/\* pawl \*\//gi;

/** Replaces the schema `pawl` in a SQL text. */
export function rewriteSchema(text: string, schema: string): string {
  return text.replace(FORMS, (form: string, ...rest: unknown[]) => {
    const [at] = rest as [number];
    if (form.startsWith("0")) return lockSeed(schema);
    if (form === "'pawl_") return `'${schema}_`;
    if (form === "'pawl'")
      return text.startsWith("::name", at + form.length) ? `'${schema}'` : `'"${schema}"'`;
    return `"${schema}"`;
  });
}

/** A number for the advisory locks of a schema, so that two Pawls in one database do not wait for each other. */
function lockSeed(schema: string): string {
  return String(createHash("sha256").update(schema).digest().readUIntBE(0, 5));
}

/** Removes the name of a schema from a definition, so that objects of two schemas can be compared. */
export function withoutSchema(definition: string, schema: string): string {
  const name = schema.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return definition
    .replaceAll(new RegExp(`(?<![\\w"])(?:"${name}"|${name})\\.`, "g"), "")
    .replaceAll(new RegExp(`'(?:"${name}"|${name})'`, "g"), "'pawl'")
    .replaceAll(`'${schema}_`, "'pawl_")
    .replaceAll(lockSeed(schema), "0 /* pawl */");
}
