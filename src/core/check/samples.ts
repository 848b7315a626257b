import { z } from "zod";

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  minLength?: number;
  minimum?: number;
  maximum?: number;
};

/** The ids of the model's members. They also serve as samples of any text, since most texts in rules are ids. */
export const MEMBER_IDS = ["self", "other", "creator"] as const;

const MAX_DEPTH = 4;

/** Returns a few possible values for each field of a schema, after defaults and transforms, as rules see them. */
export function samplesByField(schema: z.ZodObject): ReadonlyMap<string, readonly unknown[]> {
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  return new Map(
    Object.entries(whole.properties ?? {}).map(([field, property]) => {
      const given = valuesOf(property, whole, 0);
      const sent = whole.required?.includes(field) ? given : [...given, undefined];
      return [field, unique(sent.map((value) => parsed(schema.shape[field] as z.ZodType, value)))];
    }),
  );
}

/** Returns the samples that their own schema refuses, by field: no caller can send them. */
export function refusedSamples(
  schema: z.ZodObject,
  samples: ReadonlyMap<string, readonly unknown[]>,
): ReadonlyMap<string, ReadonlySet<unknown>> {
  return new Map(
    [...samples].map(([field, values]) => [
      field,
      new Set(values.filter((value) => !(schema.shape[field] as z.ZodType).safeParse(value).success)),
    ]),
  );
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  // A refinement may reject a sample; rules then get the unparsed value, which is at worst one case too many.
  return result.success ? result.data : value;
}

function valuesOf(schema: Schema, root: Schema, depth: number): unknown[] {
  const inner = (part: Schema) => valuesOf(part, root, depth + 1);
  if (depth > MAX_DEPTH) return [null];
  if (schema.enum) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  if (schema.$ref)
    return inner(schema.$ref === "#" ? root : (root.$defs?.[schema.$ref.split("/").at(-1) ?? ""] ?? {}));
  if (schema.anyOf ?? schema.oneOf) return unique((schema.anyOf ?? schema.oneOf ?? []).flatMap(inner));
  if (schema.allOf) return inner(Object.assign({}, ...schema.allOf) as Schema);
  if (Array.isArray(schema.type)) return unique(schema.type.flatMap((type) => inner({ ...schema, type })));
  switch (schema.type) {
    case "boolean":
      return [true, false];
    case "string":
      return MEMBER_IDS.map((id) => id.padEnd(schema.minLength ?? 0, "."));
    case "number":
    case "integer":
      return numbersWithin(schema.minimum ?? -Infinity, schema.maximum ?? Infinity);
    case "array":
      return [
        schema.prefixItems
          ? schema.prefixItems.map((part) => inner(part)[0])
          : [inner(schema.items ?? {})[0]],
        [],
      ];
    case "object":
      return objectsOf(schema, inner);
    default:
      return [null];
  }
}

function numbersWithin(min: number, max: number): number[] {
  return unique([1, 0, 1_000_000].map((number) => Math.max(min, Math.min(max, number))));
}

/** Returns an object with all fields, one with the required fields only, and one for each further value of each field. */
function objectsOf({ properties = {}, required = [] }: Schema, inner: (part: Schema) => unknown[]): object[] {
  const choices = Object.entries(properties).map(([field, part]) => [field, inner(part)] as const);
  const full = Object.fromEntries(choices.map(([field, values]) => [field, values[0]]));
  const bare = Object.fromEntries(Object.entries(full).filter(([field]) => required.includes(field)));
  const others = choices.flatMap(([field, values]) =>
    values.slice(1).map((value) => ({ ...full, [field]: value })),
  );
  return unique([full, bare, ...others]);
}

function unique<T>(values: readonly T[]): T[] {
  return [
    ...new Map(values.map((value) => [value === undefined ? "" : JSON.stringify(value), value])).values(),
  ];
}
