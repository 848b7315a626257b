import { arrayElements } from "../postgres/index.ts";
import { column } from "./columns.ts";

/** A parameter in a form that every driver sends unchanged. */
export type Parameter = string | number | boolean | null;

const TIMESTAMP_TYPES = new Set([1114, 1184]);
/** Array type → type of its elements. */
const ELEMENT_TYPES = new Map([
  [1000, 16],
  [1005, 21],
  [1007, 23],
  [1016, 20],
  [1022, 701],
  [1009, 25],
  [1015, 1043],
  [2951, 2950],
  [1185, 1184],
]);

/** Converts a value to a parameter of the given type. Arrays, dates and JSON become text, as drivers disagree on them. */
export function encodeParameter(type: number, value: unknown): Parameter {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof Date || (typeof value === "number" && TIMESTAMP_TYPES.has(type)))
    return new Date(value).toISOString();
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) {
    const element = ELEMENT_TYPES.get(type) ?? 0;
    return column(value.map((item) => encodeParameter(element, item)));
  }
  return JSON.stringify(value);
}

/**
 * Converts a value that any driver returned for a column of the given type to the form that Pawl uses: times in milliseconds, int8
 * and numeric as text, JSON parsed. Returns undefined if it cannot be converted.
 */
export function decodeValue(type: number, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const element = ELEMENT_TYPES.get(type);
  if (element !== undefined) {
    const items = typeof value === "string" ? arrayElements(value) : value;
    return Array.isArray(items) ? items.map((item) => decodeValue(element, item)) : undefined;
  }
  if (TIMESTAMP_TYPES.has(type)) return millisecondsOf(value);
  switch (type) {
    case 16:
      return value === true || value === "t" || value === "true";
    case 17:
      return typeof value === "string"
        ? Buffer.from(value.replace(/^\\x/, ""), "hex")
        : Buffer.from(value as Uint8Array);
    case 21:
    case 23:
    case 26:
    case 700:
    case 701:
      return numberOf(value);
    case 114:
    case 3802:
      return typeof value === "string" ? parsedJson(value) : value;
    default:
      return typeof value === "object" ? undefined : `${value as string | number | bigint}`;
  }
}

function numberOf(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isNaN(number) && value !== "NaN" ? undefined : number;
}

/** Reads a date, milliseconds, a string in the format of PostgreSQL or ISO 8601, or an object of a date library. */
function millisecondsOf(value: unknown): number | undefined {
  const plain = value instanceof Object ? primitiveOf(value) : value;
  const at = typeof plain === "number" ? plain : Date.parse(isoOf(String(plain)));
  return Number.isNaN(at) ? undefined : at;
}

/** Objects of date libraries have their milliseconds as primitive value, or (Temporal) only a string. */
function primitiveOf(value: object): unknown {
  try {
    return value.valueOf();
  } catch {
    return (value as { toString(): string }).toString();
  }
}

/** "2026-01-05 12:00:00.5+00" → "2026-01-05T12:00:00.5+00:00"; a timestamp without a zone is in UTC. */
function isoOf(text: string): string {
  const [, date, time, zone = ""] = /^(\d{4,}-\d\d-\d\d)[ T]([\d:.]+)(.*)$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return text;
  const offset = zone === "" || zone === "Z" ? "Z" : zone.length === 3 ? `${zone}:00` : zone;
  return `${date}T${time}${offset}`;
}

/** A driver may have parsed the JSON already: a string that is not JSON is then the value itself. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
