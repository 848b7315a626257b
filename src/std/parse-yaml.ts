import { Lexer, parseDocument, Parser, YAMLParseError } from "yaml";
import type { Document } from "yaml";

const MAX_DEPTH = 100;

type ParseOptions = NonNullable<Parameters<typeof parseDocument>[1]>;

/**
 * Parses YAML or JSON. Values that are nested too deeply become an error of the document: the library composes them by recursion,
 * and near the end of the stack Node aborts the whole process.
 */
export function parseYaml(text: string, options: ParseOptions = {}): Document.Parsed {
  const at = firstTooDeep(text);
  if (at === null) return parseDocument(text, options);
  const document = parseDocument("", options);
  const starts = [0, ...[...text.slice(0, at).matchAll(/\n/g)].map(({ index }) => index + 1)];
  const message = `values are nested more than ${MAX_DEPTH} levels deep at line ${starts.length}`;
  if (options.lineCounter) options.lineCounter.lineStarts = starts;
  document.errors.push(new YAMLParseError([at, at + 1], "RESOURCE_EXHAUSTION", message));
  return document;
}

/** Returns the position of the first value that is nested too deeply. The tokens are parsed with a stack of their own. */
function firstTooDeep(text: string): number | null {
  const parser = new Parser();
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    // Each level has at most two tokens: a collection, and an item of it.
    if (parser.stack.length > 2 * MAX_DEPTH) return Math.min(at, text.length);
    at += lexeme.length;
  }
  return null;
}
