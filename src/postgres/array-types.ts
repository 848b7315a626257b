import type postgres from "postgres";

type Element = string | number | null;
type ArrayType = postgres.PostgresType<readonly Element[]>;

/**
 * Arrays of the types that Pawl uses. The driver would ask each new connection for all array types of the server, and a
 * connection that is lost over that question ends the process.
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

// An element is quoted, with backslashes before quotes and backslashes, or runs to the next comma.
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^{},]+)/gs;

/** Of one dimension, as all of Pawl's are. */
function parsed(text: string, parseElement: (text: string) => Element): Element[] {
  return [...text.matchAll(ELEMENT)].map(([, inQuotes, plain]) => {
    if (inQuotes !== undefined) return parseElement(inQuotes.replace(/\\(.)/gs, "$1"));
    return plain === "NULL" ? null : parseElement(plain ?? "");
  });
}
