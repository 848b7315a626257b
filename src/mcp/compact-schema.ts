type Schema = Readonly<Record<string, unknown>>;

/** The fields of a JSON Schema in one line: `title* (5-200 chars), priority low|normal|high`; a star marks required fields. */
export function fieldsOf(schema: Schema): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    .map(([name, field]) => `${name}${required.has(name) ? "*" : ""}${shapeOf(field)}`)
    .join(", ");
}

const MAX_CHOICES = 8;
/** Longer limits are not shown, because texts rarely reach them. */
const MAX_SHOWN_LENGTH = 1_000;

function shapeOf(field: Schema): string {
  const schema = nonNullSchema(field);
  if ("const" in schema) return ` ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.slice(0, MAX_CHOICES).map(String).join("|");
    return ` ${choices}${schema.enum.length > MAX_CHOICES ? "|…" : ""}`;
  }
  switch (schema.type) {
    case "string":
      return lengthOf(schema);
    case "array":
      return "[]";
    case "object":
      return schema.properties ? ` {${fieldsOf(schema)}}` : " {}";
    case "integer":
    case "number":
    case "boolean":
      return ` ${schema.type}`;
    default:
      return "";
  }
}

function lengthOf({
  minLength = 0,
  maxLength = MAX_SHOWN_LENGTH,
}: {
  minLength?: number;
  maxLength?: number;
}): string {
  if (maxLength < MAX_SHOWN_LENGTH) return ` (${Math.max(minLength, 1)}-${maxLength} chars)`;
  return minLength > 1 ? ` (${minLength}+ chars)` : "";
}

/** Ignores null in a nullable field: leaving the field out means the same. */
function nonNullSchema(field: Schema): Schema {
  const variants = [field.anyOf, field.oneOf].find(Array.isArray) as Schema[] | undefined;
  return variants?.find(({ type }) => type !== "null") ?? field;
}
