import { isStorable, PawlError } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import { wrongField } from "../engine/index.ts";
import type { Caller } from "../engine/index.ts";

/** The kinds of fields: `texts` is a list; a `?` marks a field that may be missing. */
type Kind = "id" | "text" | "text?" | "texts?" | "number?";
type Fields = Readonly<Record<string, Kind>>;

/** Throws a TypeError for anything else than a caller, for example the promise of `pawl.as`. */
export function checkCaller(verb: string, caller: unknown): void {
  const { org_id, actor } = Object(caller) as Partial<Caller>;
  if (typeof org_id === "string" && actor instanceof Object) return;
  throw new TypeError(
    `pawl.${verb} needs a caller as its first argument: \`await pawl.as("ann")\` returns one.`,
  );
}

/** Throws a TypeError for an unknown option: a transaction under another name would be ignored. */
export function checkOptions(verb: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  const wrong = Object.keys(Object(options) as object).find((key) => !known.includes(key));
  if (options instanceof Object && wrong === undefined) return;
  throw new TypeError(
    `pawl.${verb} has no option ${JSON.stringify(wrong ?? options)}. ` +
      "Pass a transaction as the option tx, for example `{ tx: fromPg(client) }`.",
  );
}

/** Refuses anything else than an object with fields of these kinds: the caller may pass on values of a request. */
export function fieldRefusal(given: unknown, fields: Fields, path = "request"): Refusal | null {
  if (typeof given !== "object" || given === null) return wrongField(path, "must be an object");
  for (const [name, kind] of Object.entries(fields))
    if (!isOfKind((given as Record<string, unknown>)[name], kind))
      return wrongField(name, DESCRIPTIONS[kind]);
  return null;
}

/** Refuses anything else than a list of such objects. */
export function listRefusal(given: unknown, fields: Fields, path: string): Refusal | null {
  if (!Array.isArray(given)) return wrongField(path, "must be a list");
  for (const [index, one] of given.entries()) {
    const refusal = fieldRefusal(one, fields, `${path}[${index}]`);
    if (refusal) return refusal;
  }
  return null;
}

/** Throws a refusal of a verb that returns none. */
export function throwRefusal(refusal: Refusal | null): void {
  if (refusal) throw new PawlError(refusal.code, refusal.detail, { ...refusal.params });
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  id: "must be a text of 1 to 200 characters without NUL and lone surrogates",
  text: "must be a text",
  "text?": "must be a text without NUL and lone surrogates",
  "texts?": "must be a list of texts without NUL and lone surrogates",
  "number?": "must be a number",
};

function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === "id")
    return typeof value === "string" && value !== "" && value.length <= 200 && isStorable(value);
  if (kind === "text") return typeof value === "string";
  // Null means the same as a missing field.
  if (value === undefined || value === null) return true;
  if (kind === "number?") return typeof value === "number" && !Number.isNaN(value);
  const texts = kind === "text?" ? [value] : value;
  return Array.isArray(texts) && texts.every((text) => typeof text === "string" && isStorable(text));
}
