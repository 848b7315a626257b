import type { JsonObject } from "../core/index.ts";
import { unknownName } from "./at-server.ts";
import { EXIT } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";

type Schema = { properties?: Record<string, Property> };
type Property = { type?: string | string[]; anyOf?: Property[]; enum?: unknown[]; const?: unknown };

/**
 * Parses `name=value` arguments by a JSON Schema: text fields are used unchanged, all others are parsed as JSON.
 * `name:=value` is always JSON. Unknown names are refused here, because the server ignores them.
 */
export function readFields(typed: readonly string[], schema: JsonObject, what: string): JsonObject {
  const { properties = {} } = schema as Schema;
  const fields: JsonObject = {};
  for (const word of typed) {
    const [, name, colon, text] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(word) ?? [];
    if (name === undefined || text === undefined)
      throw new CliError(EXIT.usage, `"${word}" is not a field: write name=value, or name:=JSON.`);
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) throw unknownName(`${what} has no field`, name, Object.keys(properties));
    fields[name] = colon === "" && takesText(property) ? text : readJson(name, text);
  }
  return fields;
}

function takesText({ type, anyOf, enum: values, const: only }: Property): boolean {
  if (anyOf) return anyOf.some(takesText);
  if (type === undefined)
    return values?.some((value) => typeof value === "string") ?? typeof only === "string";
  return type === "string" || (Array.isArray(type) && type.includes("string"));
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CliError(
      EXIT.usage,
      `${name} is ${JSON.stringify(text)}, which is not valid JSON: use a number, true, false, null, a list or an object.`,
    );
  }
}

/** The fields of a schema as typed on the command line: `title=…`, optional ones in brackets. */
export function fieldsText(schema: JsonObject): string {
  const { properties = {}, required = [] } = schema as Schema & { required?: string[] };
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `${name}=…` : `[${name}=…]`))
    .join(" ");
}
