import fc from "fast-check";
import type { Arbitrary } from "fast-check";

/** The part of JSON Schema that the document uses. */
export type Schema = {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
};

/** Useful values of fields by name, such as ids that exist and short waits. */
export type Known = Readonly<Record<string, Arbitrary<unknown>>>;

/** Generates values that match a schema. */
export function fitting(
  schema: Schema,
  at: (ref: string) => Schema,
  known: Known,
  depth = 0,
): Arbitrary<unknown> {
  const inner = (part: Schema) => fitting(part, at, known, depth + 1);
  if (schema.$ref !== undefined) return inner(at(schema.$ref));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(inner)).map((parts) => Object.assign({}, ...parts) as object);
  const [type = "any", ...others] = [schema.type ?? []].flat();
  if (others.length > 0) return fc.oneof(...[type, ...others].map((one) => inner({ ...schema, type: one })));
  switch (type) {
    case "string":
      return fittingText(schema);
    case "integer":
    case "number":
      return fc.integer({
        min: schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1_000 : schema.exclusiveMinimum + 1),
        max: Math.min(schema.maximum ?? 1_000, Number.MAX_SAFE_INTEGER),
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
      });
    case "object":
      return fittingObject(schema, inner, known);
    default:
      return depth > 3 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
  }
}

function fittingText({ format, minLength = 0, maxLength = 60 }: Schema): Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "date-time")
    return fc
      .date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === "uri") return fc.constant("https://example.com/a");
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 40), unit: "grapheme-ascii" });
}

function fittingObject(
  { properties = {}, required = [], additionalProperties }: Schema,
  inner: (part: Schema) => Arbitrary<unknown>,
  known: Known,
): Arbitrary<object> {
  const fields = Object.entries(properties).map(
    ([name, part]) =>
      [
        name,
        known[name] ? fc.oneof({ weight: 3, arbitrary: known[name] }, inner(part)) : inner(part),
      ] as const,
  );
  const record = fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
  if (typeof additionalProperties !== "object") return record;
  const more = fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), inner(additionalProperties), {
    maxKeys: 2,
    noNullPrototype: true,
  });
  return fc.tuple(record, more).map(([fixed, free]) => ({ ...free, ...fixed }));
}

/** Placeholder of a value that is nested thousands of levels deep. */
export const DEEPLY_NESTED = "(deeply nested)";

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  "",
  " ",
  "\0",
  "\ud800",
  "\u202e",
  "me",
  "__proto__",
  "x".repeat(5_000),
  "x".repeat(200_000),
  DEEPLY_NESTED,
  "9999-99-99T99:99:99Z",
  "+275760-09-13T00:00:00.001Z",
  "00000000-0000-0000-0000-000000000000",
  "'; drop table pawl.task; --",
  [],
  [[[[[]]]]],
  {},
  { toString: 1, then: 2 },
  { "\0": 1 },
  Array.from({ length: 1_001 }, () => "x"),
];

/** Generates mostly invalid values: a valid one with a part replaced, removed or added. */
export function spoilt(value: Arbitrary<unknown>): Arbitrary<unknown> {
  const junk = fc.constantFrom(...JUNK);
  return fc.oneof(
    { weight: 1, arbitrary: junk },
    {
      weight: 8,
      arbitrary: fc
        .tuple(value, fc.nat(), fc.constantFrom("put", "drop", "add"), junk)
        .map(([whole, seed, edit, junk]) => spoil(whole, seed, edit, junk)),
    },
  );
}

function spoil(whole: unknown, seed: number, edit: string, junk: unknown): unknown {
  if (typeof whole !== "object" || whole === null) return junk;
  const copy = (Array.isArray(whole) ? [...(whole as unknown[])] : { ...whole }) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[seed % Math.max(keys.length, 1)];
  if (edit === "add" || key === undefined) copy[Array.isArray(whole) ? keys.length : `k${seed}`] = junk;
  else if (edit === "drop") copy[key] = undefined;
  else copy[key] = seed % 3 === 0 ? spoil(copy[key], Math.floor(seed / 7), edit, junk) : junk;
  return copy;
}
