import type { Schema } from "../data/client.ts";

/** A field of a form, made of a JSON Schema. */
export type Field = {
  name: string;
  kind: "text" | "long" | "date" | "number" | "switch" | "choice" | "list" | "group" | "json";
  required: boolean;
  nullable: boolean;
  description: string | null;
  choices: readonly string[];
  whole: boolean;
  fields: readonly Field[];
  byDefault: unknown;
};

/** What has been written so far; numbers stay texts until they are sent. */
export type Values = Record<string, unknown>;
export type Mistakes = Readonly<Record<string, string>>;

const LONG_NAME = /description|comment|reason|text|body|notes?|resolution|summary|prompt|details/i;
const LONG_FROM = 200;

/** The fields of an object's schema, those that must be given first. */
export function fieldsOf(schema: Schema | undefined): Field[] {
  const properties = (schema?.properties ?? {}) as Record<string, Schema>;
  const required = new Set((schema?.required ?? []) as string[]);
  return Object.entries(properties)
    .map(([name, part]) => fieldOf(name, part, required.has(name) && part.default === undefined))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function fieldOf(name: string, given: Schema, required: boolean): Field {
  const { schema, nullable } = withoutNull(given);
  const items = schema.items as Schema | undefined;
  const common = {
    name,
    required,
    nullable,
    description: (given.description ?? schema.description ?? null) as string | null,
    choices: [],
    whole: schema.type === "integer",
    fields: [],
    byDefault: given.default ?? schema.default,
  };
  if (Array.isArray(schema.enum)) return { ...common, kind: "choice", choices: schema.enum.map(String) };
  if (schema.type === "string") {
    if (schema.format === "date") return { ...common, kind: "date" };
    const long = LONG_NAME.test(name) || Number(schema.maxLength ?? 0) > LONG_FROM;
    return { ...common, kind: long && schema.format === undefined ? "long" : "text" };
  }
  if (schema.type === "number" || schema.type === "integer") return { ...common, kind: "number" };
  if (schema.type === "boolean") return { ...common, kind: "switch" };
  if (schema.type === "array" && takesText(items)) return { ...common, kind: "list" };
  if (schema.type === "object" && schema.properties !== undefined)
    return { ...common, kind: "group", fields: fieldsOf(schema) };
  return { ...common, kind: "json" };
}

/** Of what may be a text or something richer, the text is what people write. */
function takesText(schema: Schema | undefined): boolean {
  const either = (schema?.anyOf ?? schema?.oneOf) as Schema[] | undefined;
  return schema?.type === "string" || (either?.some(({ type }) => type === "string") ?? false);
}

/** `anyOf: [x, null]` is an x that may be left empty. */
function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const parts = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (Array.isArray(schema.type)) {
    const types = (schema.type as string[]).filter((type) => type !== "null");
    return { schema: { ...schema, type: types[0] }, nullable: types.length < schema.type.length };
  }
  if (!parts) return { schema, nullable: false };
  const rest = parts.filter(({ type }) => type !== "null");
  return { schema: rest.length === 1 ? (rest[0] as Schema) : {}, nullable: rest.length < parts.length };
}

/** What the fields say, ready to be sent; or what is wrong, by the path of the field. */
export function readValues(
  fields: readonly Field[],
  values: Values,
  say: { required: string; number: string; json: string },
  path = "",
): { payload: Values; mistakes: Record<string, string> } {
  const payload: Values = {};
  const mistakes: Record<string, string> = {};
  for (const field of fields) {
    const place = path === "" ? field.name : `${path}.${field.name}`;
    const given = values[field.name];
    if (field.kind === "group") {
      const inner = readValues(field.fields, (given ?? {}) as Values, say, place);
      // What need not be given is not asked for in part either, until a part of it is written.
      if (!field.required && !isWritten(field, given)) continue;
      Object.assign(mistakes, inner.mistakes);
      payload[field.name] = inner.payload;
      continue;
    }
    const read = readValue(field, given, say);
    if ("mistake" in read) mistakes[place] = read.mistake;
    else if (read.value !== undefined) payload[field.name] = read.value;
  }
  return { payload, mistakes };
}

/** A switch that was turned there and back is as if it had never been touched. */
function isWritten({ kind, fields, byDefault }: Field, given: unknown): boolean {
  if (given === undefined) return false;
  if (kind === "group") return fields.some((inner) => isWritten(inner, (given as Values)[inner.name]));
  return kind === "switch"
    ? given !== (byDefault ?? false)
    : typeof given === "string" && given.trim() !== "";
}

function readValue(
  { kind, required, whole }: Field,
  given: unknown,
  say: { required: string; number: string; json: string },
): { value: unknown } | { mistake: string } {
  const text = typeof given === "string" ? given.trim() : "";
  const missing = required ? { mistake: say.required } : { value: undefined };
  if (kind === "switch") return given === undefined ? missing : { value: given };
  if (kind === "list") {
    const items = text.split(/[,\n]/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
    return items.length === 0 ? missing : { value: items };
  }
  if (text === "") return missing;
  if (kind === "number") {
    const number = Number(text.replace(",", "."));
    const fits = Number.isFinite(number) && (!whole || Number.isInteger(number));
    return fits ? { value: number } : { mistake: say.number };
  }
  if (kind !== "json") return { value: kind === "long" ? given : text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { mistake: say.json };
  }
}

/** What stands in a thing already, as the fields of its form show it. */
export function valuesFrom(fields: readonly Field[], known: Values): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, fields: inner }): [string, unknown][] => {
      const value = known[name];
      if (value === undefined || value === null) return [];
      if (kind === "group") return [[name, valuesFrom(inner, value as Values)]];
      if (kind === "switch") return [[name, value]];
      if (kind === "list") return [[name, (value as unknown[]).join(", ")]];
      return [[name, typeof value === "string" ? value : JSON.stringify(value, null, 2)]];
    }),
  );
}

/** What the server said of fields, by their paths; what it said of none of them is left. */
export function mistakesIn(params: Readonly<Record<string, unknown>>): Record<string, string> {
  const errors = Array.isArray(params.errors) ? (params.errors as { path?: string; message?: string }[]) : [];
  return Object.fromEntries(
    errors.map(({ path = "", message = "" }) => [path.replace(/^payload\./, ""), message]),
  );
}
