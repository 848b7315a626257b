import type { FieldUi, Schema } from "../data/client.ts";
import { MEMBER_FIELDS, TASK_FIELDS } from "./field-kinds.ts";

/** A form field derived from a JSON Schema property. */
export type Field = {
  name: string;
  kind: "text" | "long" | "date" | "moment" | "number" | "switch" | "choice" | "list" | "group" | "json";
  required: boolean;
  nullable: boolean;
  description: string | null;
  choices: readonly string[];
  integer: boolean;
  fields: readonly Field[];
  defaultValue: unknown;
  limits: Limits;
  ui: FieldUi;
};

type Limits = Partial<Record<"minLength" | "maxLength" | "minimum" | "maximum", number | undefined>>;

/** Messages about input, shown beside its field. */
export type InputTexts = {
  required: string;
  number: string;
  integer: string;
  json: string;
  tooShort: (n: number) => string;
  tooLong: (n: number) => string;
  tooSmall: (n: number) => string;
  tooLarge: (n: number) => string;
};

/** Input so far; numbers stay text until they are sent. */
export type Values = Record<string, unknown>;
export type FieldErrors = Readonly<Record<string, string>>;

const LONG_NAME = /description|comment|reason|text|body|notes?|resolution|summary|prompt|details/i;
const LONG_TEXT_LENGTH = 200;

/** The fields of an object schema, required ones first. */
export function fieldsOf(schema: Schema | undefined): Field[] {
  const properties = (schema?.properties ?? {}) as Record<string, Schema>;
  const required = new Set((schema?.required ?? []) as string[]);
  return Object.entries(properties)
    .map(([name, part]) => fieldOf(name, part, required.has(name) && part.default === undefined))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function fieldOf(name: string, property: Schema, required: boolean): Field {
  const { schema, nullable } = withoutNull(property);
  const items = schema.items as Schema | undefined;
  const common = {
    name,
    required,
    nullable,
    description: (property.description ?? schema.description ?? null) as string | null,
    choices: [],
    integer: schema.type === "integer",
    fields: [],
    defaultValue: property.default ?? schema.default,
    limits: {
      minLength: schema.minLength as number | undefined,
      maxLength: schema.maxLength as number | undefined,
      minimum: (schema.minimum ?? schema.exclusiveMinimum) as number | undefined,
      maximum: (schema.maximum ?? schema.exclusiveMaximum) as number | undefined,
    },
    ui: pickByName(name),
  };
  if (Array.isArray(schema.enum)) return { ...common, kind: "choice", choices: schema.enum.map(String) };
  if (schema.type === "string") {
    if (schema.format === "date") return { ...common, kind: "date" };
    if (schema.format === "date-time") return { ...common, kind: "moment" };
    const long = LONG_NAME.test(name) || Number(schema.maxLength ?? 0) > LONG_TEXT_LENGTH;
    return { ...common, kind: long && schema.format === undefined ? "long" : "text" };
  }
  if (schema.type === "number" || schema.type === "integer") return { ...common, kind: "number" };
  if (schema.type === "boolean") return { ...common, kind: "switch" };
  if (schema.type === "array" && takesText(items)) return { ...common, kind: "list" };
  if (schema.type === "object" && schema.properties !== undefined)
    return { ...common, kind: "group", fields: fieldsOf(schema) };
  return { ...common, kind: "json" };
}

/** By their names, fields of any lifecycle hold the id of a member, a task or a project. */
function pickByName(name: string): FieldUi {
  if (MEMBER_FIELDS.test(name)) return { pick: "member" };
  if (TASK_FIELDS.test(name)) return { pick: "task" };
  return name === "project_id" ? { pick: "project" } : {};
}

/** Adds the settings of the lifecycle's plugin for its fields. */
export function withFieldUi(
  fields: readonly Field[],
  ui: Readonly<Record<string, FieldUi>>,
  { creates }: { creates: boolean },
): Field[] {
  return fields.map((field) => {
    const { required_unless, ...own } = ui[field.name] ?? {};
    return {
      ...field,
      ui: {
        ...field.ui,
        ...own,
        ...(creates && required_unless !== undefined ? { required_unless } : {}),
      },
      fields: withFieldUi(field.fields, ui, { creates }),
    };
  });
}

/** True if a field must be filled in, given the other values of its form. */
export function isRequired({ required, ui }: Field, values: Values): boolean {
  const { required_unless: other, required_when: when } = ui;
  if (other !== undefined && isBlank(values[other])) return true;
  if (when && Object.entries(when).every(([name, value]) => values[name] === value)) return true;
  return required;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** The values that the form makes itself. */
export function generatedValues(fields: readonly Field[]): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, ui }) => (ui.generate === "uuid" ? [[name, crypto.randomUUID()]] : [])),
  );
}

/** If the items can be text or an object, people enter text. */
function takesText(schema: Schema | undefined): boolean {
  const either = (schema?.anyOf ?? schema?.oneOf) as Schema[] | undefined;
  return schema?.type === "string" || (either?.some(({ type }) => type === "string") ?? false);
}

/** Whether a text is declared as Markdown: `z.string().meta({ contentMediaType: "text/markdown" })`. */
export function isMarkdown(property: Schema | undefined): boolean {
  return property !== undefined && withoutNull(property).schema.contentMediaType === "text/markdown";
}

/** `anyOf: [x, null]` is an optional x. */
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

/** Converts input to a payload, or returns errors by field path. */
export function readValues(
  fields: readonly Field[],
  values: Values,
  texts: InputTexts,
  path = "",
): { payload: Values; errors: Record<string, string> } {
  const payload: Values = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const fieldPath = path === "" ? field.name : `${path}.${field.name}`;
    const input = values[field.name];
    if (field.kind === "group") {
      const inner = readValues(field.fields, (input ?? {}) as Values, texts, fieldPath);
      // An optional group is validated only once part of it is filled in.
      if (!field.required && !isFilledIn(field, input)) continue;
      Object.assign(errors, inner.errors);
      payload[field.name] = inner.payload;
      continue;
    }
    const read = readValue({ ...field, required: isRequired(field, values) }, input, texts);
    if ("error" in read) errors[fieldPath] = read.error;
    else if (read.value !== undefined) payload[field.name] = read.value;
  }
  return { payload, errors };
}

/** A switch that is back at its default counts as untouched. */
function isFilledIn({ kind, fields, defaultValue }: Field, input: unknown): boolean {
  if (input === undefined) return false;
  if (kind === "group") return fields.some((inner) => isFilledIn(inner, (input as Values)[inner.name]));
  return kind === "switch"
    ? input !== (defaultValue ?? false)
    : typeof input === "string" && input.trim() !== "";
}

function readValue(
  { kind, required, integer: whole, limits }: Field,
  input: unknown,
  texts: InputTexts,
): { value: unknown } | { error: string } {
  const text = typeof input === "string" ? input.trim() : "";
  const missing = required ? { error: texts.required } : { value: undefined };
  if (kind === "switch") return input === undefined ? missing : { value: input };
  if (kind === "list") {
    const items = text.split(/[,\n]/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
    return items.length === 0 ? missing : { value: items };
  }
  if (text === "") return missing;
  if (kind === "number") {
    const number = Number(text.replace(",", "."));
    if (!Number.isFinite(number)) return { error: texts.number };
    if (whole && !Number.isInteger(number)) return { error: texts.integer };
    if (limits.minimum !== undefined && number < limits.minimum)
      return { error: texts.tooSmall(limits.minimum) };
    if (limits.maximum !== undefined && number > limits.maximum)
      return { error: texts.tooLarge(limits.maximum) };
    return { value: number };
  }
  if (kind === "moment") return { value: new Date(text).toISOString() };
  if (kind !== "json") {
    const length = Array.from(text).length;
    if (limits.minLength !== undefined && length < limits.minLength)
      return { error: texts.tooShort(limits.minLength) };
    if (limits.maxLength !== undefined && length > limits.maxLength)
      return { error: texts.tooLong(limits.maxLength) };
    return { value: kind === "long" ? input : text };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { error: texts.json };
  }
}

/** Converts existing values to form input. */
export function valuesFrom(fields: readonly Field[], existing: Values): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, fields: inner }): [string, unknown][] => {
      const value = existing[name];
      if (value === undefined || value === null) return [];
      if (kind === "group") return [[name, valuesFrom(inner, value as Values)]];
      if (kind === "switch") return [[name, value]];
      if (kind === "moment") return [[name, localMoment(value as string | number)]];
      if (kind === "list") return [[name, (value as unknown[]).join(", ")]];
      return [[name, typeof value === "string" ? value : JSON.stringify(value, null, 2)]];
    }),
  );
}

/** A moment as the value of an input `datetime-local`, in the browser's time zone. */
export function localMoment(moment: string | number): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Errors from the server by field path. */
export function fieldErrorsFrom(params: Readonly<Record<string, unknown>>): Record<string, string> {
  const errors = Array.isArray(params.errors) ? (params.errors as { path?: string; message?: string }[]) : [];
  return Object.fromEntries(
    errors.map(({ path = "", message = "" }) => [path.replace(/^payload\./, ""), message]),
  );
}
