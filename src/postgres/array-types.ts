import type postgres from "postgres";

type Element = string | number | null;
type ArrayType = postgres.PostgresType<readonly Element[]>;

/**
 * Serializers for the array types that Pawl uses. The driver's own way queries them on each new connection, and losing the
 * connection during that query ends the process.
 */
export const ARRAY_TYPES: Record<string, ArrayType> = {
  texts: arrayType(1009, (text) => text),
  uuids: arrayType(2951, (text) => text),
  integers: arrayType(1007, Number),
  bigints: arrayType(1016, (text) => text),
  floats: arrayType(1022, Number),
};

function arrayType(oid: number, parseElement: (text: string) => Element): ArrayType {
  return { to: oid, from: [oid], serialize: serialized, parse: (text: string) => parsed(text, parseElement) };
}

function serialized(array: readonly Element[]): string {
  return `{${array.map((element) => (element === null ? "NULL" : quoted(String(element)))).join(",")}}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

// An element is quoted, with quotes and backslashes escaped by a backslash, or ends at the next comma.
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^{},]+)/gs;

/** Splits the text of an array of one dimension; Pawl uses no others. */
export function arrayElements(text: string): (string | null)[] {
  return [...text.matchAll(ELEMENT)].map(([, inQuotes, plain = ""]) => {
    if (inQuotes !== undefined) return inQuotes.replace(/\\(.)/gs, "$1");
    return plain === "NULL" ? null : plain;
  });
}

function parsed(text: string, parseElement: (text: string) => Element): Element[] {
  return arrayElements(text).map((element) => (element === null ? null : parseElement(element)));
}
