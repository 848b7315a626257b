import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { JsonObject } from "../../core/index.ts";
import type { Surroundings } from "../surroundings.ts";

export function dataOption(): Option {
  return new Option("--data <folder>", "the folder of the embedded database (default: .pawl)");
}

export function configOption(): Option {
  return new Option(
    "-c, --config <path>",
    "the configuration to read (default: pawl.config.ts, .mts, .js, .mjs or .cjs here)",
  );
}

export function jsonOption(): Option {
  return new Option("--json", "print it as JSON");
}

/** What every command has that talks to a server. */
export function reaching(command: Command): Command {
  return command
    .addOption(new Option("--url <url>", "the server (default: PAWL_URL, or the one that runs on --data)"))
    .addOption(dataOption())
    .addOption(jsonOption());
}

/** Several, separated by commas; the option may also be given again. */
export function several(text: string, before: string[] = []): string[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...before, ...parts];
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It takes a whole number.");
  return Number(text);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError("It takes a whole number from 1.");
  return number;
}

/** A number, perhaps with a fraction, within bounds. */
export function numberFrom(least: number, most: number) {
  return (text: string): number => {
    const number = text.trim() === "" ? NaN : Number(text);
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It takes a number from ${least} to ${most}.`);
    return number;
  };
}

export function jsonObject(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError('It takes a JSON object, like {"board": {}}.');
}

/** Titles of a help text in bold. */
export function titled(help: string, { out }: Surroundings): string {
  return help.replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => out.colours.bold(title));
}
