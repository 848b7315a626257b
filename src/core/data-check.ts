import { z } from "zod";
import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import { fieldErrors } from "./field-errors.ts";
import type { FieldError } from "./field-errors.ts";
import { shownErrors } from "./parse-fields.ts";
import type { JsonObject } from "./task.ts";

/** Checks the data that effects and drafts produce by the lifecycle's schema; null if the data are valid. */
export type DataCheck = {
  patch: (data: JsonObject, action: string) => Refusal | null;
  draft: (draft: { title: string; data: JsonObject }) => Refusal | null;
};

/** Compiles the check of a lifecycle's data. */
export function dataCheckOf(lifecycle: string, schema: z.ZodObject): DataCheck {
  const fields = new Map<string, Field | null>(
    Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => [
      name,
      isTransformed(field) ? null : { schema: field, isPlain: plainTestOf(field) },
    ]),
  );
  const isOpen = schema.def.catchall !== undefined && schema.def.catchall._zod.def.type !== "never";
  const mistakeIn = (data: JsonObject, name: string): readonly FieldError[] => {
    const field = fields.get(name);
    if (field === undefined)
      return isOpen ? NO_ERRORS : [{ path: name, message: "is not a field of the data" }];
    if (field === null || field.isPlain(data[name])) return NO_ERRORS;
    const parsed = field.schema.safeParse(data[name]);
    if (parsed.success) return NO_ERRORS;
    return fieldErrors(parsed.error.issues, data[name]).map(({ path, message }) => ({
      path: path === "" ? name : `${name}.${path}`,
      message,
    }));
  };
  const refusal = (source: string, errors: readonly FieldError[]): Refusal => {
    const [first] = errors;
    const detail = `Lifecycle "${lifecycle}": ${source} would store invalid data: ${first?.path}: ${first?.message}`;
    return refuse("INVALID_DATA", detail, { lifecycle, errors: shownErrors(errors) });
  };
  return {
    patch: (data, action) => {
      // A loop without a list of names: it runs for every move that changes data.
      for (const name in data) {
        // A patch is stored as JSON, which leaves such a field as it was.
        if (data[name] === undefined) continue;
        const errors = mistakeIn(data, name);
        if (errors.length > 0) return refusal(`an effect of "${action}"`, errors);
      }
      return null;
    },
    draft: ({ title, data }) => {
      // Drafts of plugins written in JavaScript may be anything.
      if (typeof (title as unknown) !== "string")
        return refusal("the draft", [{ path: "title", message: "must be a text" }]);
      if (typeof (data as unknown) !== "object" || (data as unknown) === null)
        return refusal("the draft", [{ path: "data", message: "must be an object" }]);
      const names = new Set([...fields.keys(), ...Object.keys(data)]);
      for (const name of names) {
        const errors = mistakeIn(data, name);
        if (errors.length > 0) return refusal("the draft", errors);
      }
      return null;
    },
  };
}

type Field = { schema: z.ZodType; isPlain: PlainTest };

const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** Whether a value is certainly valid. Zod parses the others: parsing every value made decisions six times slower. */
type PlainTest = (value: unknown) => boolean;

function plainTestOf(field: z.core.$ZodType): PlainTest {
  const { def } = (field as z.core.$ZodTypes)._zod;
  if (def.checks !== undefined && def.checks.length > 0) return () => false;
  switch (def.type) {
    case "nullable": {
      const isPlain = plainTestOf(def.innerType);
      return (value) => value === null || isPlain(value);
    }
    case "optional":
      return plainTestOf(def.innerType);
    case "string":
      return "format" in def ? () => false : (value) => typeof value === "string";
    case "number":
      if (!("format" in def)) return Number.isFinite;
      return def.format === "safeint" ? Number.isSafeInteger : () => false;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "array":
      return (value) => Array.isArray(value) && value.length === 0;
    default:
      return () => false;
  }
}

/** Whether values change when they are parsed: the schema then describes the input, and not what is stored. */
function isTransformed(field: z.ZodType): boolean {
  let transformed = false;
  z.toJSONSchema(field, {
    unrepresentable: "any",
    override: ({ zodSchema }) => {
      const { type } = zodSchema._zod.def;
      transformed ||= type === "pipe" || type === "transform";
    },
  });
  return transformed;
}
