import { z } from "zod";
import type { JsonObject } from "../task.ts";

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minLength?: number;
  minimum?: number;
  maximum?: number;
};

/** The id a sampled text stands for: ids are what texts most often are, and this one belongs to an actor of the model. */
const SAMPLE_TEXT = "other";

/** A handful of values of an object's schema: everything given, nothing given, and each other choice of each field. */
export function samplesOf(schema: z.ZodObject | undefined): JsonObject[] {
  if (schema === undefined) return [{}];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as Schema;
  const choices = Object.entries(properties).map(([field, property]) => [field, valuesOf(property)] as const);
  const full = Object.fromEntries(choices.map(([field, values]) => [field, values[0]]));
  const bare = Object.fromEntries(Object.entries(full).filter(([field]) => required.includes(field)));
  const others = choices.flatMap(([field, values]) =>
    values.slice(1).map((value) => ({ ...full, [field]: value })),
  );
  return [full, bare, ...others].map((sample) => {
    const parsed = schema.safeParse(sample);
    // A refinement may refuse a sample; rules then see it as it is, which is no less than they would see.
    return parsed.success ? parsed.data : sample;
  });
}

function valuesOf(schema: Schema): unknown[] {
  if (schema.enum) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  if (schema.anyOf) return schema.anyOf.flatMap(valuesOf);
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => valuesOf({ ...schema, type }));
  switch (schema.type) {
    case "boolean":
      return [true, false];
    case "string":
      return [SAMPLE_TEXT.padEnd(schema.minLength ?? 0, SAMPLE_TEXT)];
    case "number":
    case "integer":
      return [Math.max(schema.minimum ?? 1, Math.min(schema.maximum ?? 1, 1))];
    case "array":
      return [[valuesOf(schema.items ?? {})[0]], []];
    case "object":
      return [
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([field, inner]) => [field, valuesOf(inner)[0]]),
        ),
      ];
    default:
      return [null];
  }
}
