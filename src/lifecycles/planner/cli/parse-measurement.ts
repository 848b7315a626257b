import { InvalidArgumentError } from "commander";

/** Parses `gap_mm=0.4`; a value that is not a number is text. The option may be repeated. */
export function parseMeasurement(
  typed: string,
  before: [string, string | number][] = [],
): [string, string | number][] {
  const [, name, value = ""] = /^([^=]+)=(.+)$/s.exec(typed) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It must be name=value, such as gap_mm=0.4.");
  return [...before, [name.trim(), /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value]];
}
