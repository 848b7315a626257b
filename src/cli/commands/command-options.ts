import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { JsonObject } from "../../core/index.ts";
import type { CliEnvironment } from "../cli-environment.ts";

export function dataOption(): Option {
  return new Option("--data <folder>", "the folder of the embedded database (default: .pawl)");
}

export function configOption(): Option {
  return new Option(
    "-c, --config <path>",
    "the configuration file (default: pawl.config.ts, .mts, .js, .mjs or .cjs in this folder)",
  );
}

export function urlOption(): Option {
  return new Option("--url <url>", "the server (default: PAWL_URL, or the server that uses --data)");
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON");
}

/** Adds the options of commands that call a server: --url, --data and --json. */
export function withServerOptions(command: Command): Command {
  return command.addOption(urlOption()).addOption(dataOption()).addOption(jsonOption());
}

/** Parses values separated by commas; the option may also be repeated. */
export function commaSeparated(text: string, before: string[] = []): string[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...before, ...parts];
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Parses a version, or `any`. */
export function versionOrAny(text: string): number | "any" {
  return text === "any" ? "any" : wholeNumber(text);
}

export function positiveInteger(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError("It must be a positive whole number.");
  return number;
}

/** Parses a number within bounds; fractions are allowed. */
export function numberBetween(min: number, max: number) {
  return (text: string): number => {
    const number = text.trim() === "" ? NaN : Number(text);
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return number;
  };
}

export function jsonObject(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // The error is thrown below.
  }
  throw new InvalidArgumentError('It must be a JSON object, like {"board": {}}.');
}

/** Prints the titles of a help text in bold. */
export function formatHelp(help: string, { out }: CliEnvironment): string {
  return help.replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => out.colours.bold(title));
}
