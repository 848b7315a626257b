type Schema = Readonly<Record<string, unknown>>;

/** The fields of a JSON Schema in one line: `title* (5-200 chars), priority low|normal|high`; a star marks what must be given. */
export function fieldsOf(schema: Schema): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    .map(([name, field]) => `${name}${required.has(name) ? "*" : ""}${shapeOf(field)}`)
    .join(", ");
}

const MOST_CHOICES = 8;
/** A limit that nobody meets by chance is not worth the words. */
const LONG_TEXT = 1_000;

function shapeOf(field: Schema): string {
  const schema = meant(field);
  if ("const" in schema) return ` ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.slice(0, MOST_CHOICES).map(String).join("|");
    return ` ${choices}${schema.enum.length > MOST_CHOICES ? "|…" : ""}`;
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
  maxLength = LONG_TEXT,
}: {
  minLength?: number;
  maxLength?: number;
}): string {
  if (maxLength < LONG_TEXT) return ` (${Math.max(minLength, 1)}-${maxLength} chars)`;
  return minLength > 1 ? ` (${minLength}+ chars)` : "";
}

/** What may also be null is read as if it could not: to leave it out says the same. */
function meant(field: Schema): Schema {
  const ways = [field.anyOf, field.oneOf].find(Array.isArray) as Schema[] | undefined;
  return ways?.find(({ type }) => type !== "null") ?? field;
}
