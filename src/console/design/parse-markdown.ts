import { Lexer, Tokenizer } from "marked";
import type { Token, TokensList } from "marked";

/** Longer texts are shown as they were written. */
const MAX_LENGTH = 50_000;
/** A longer paragraph or heading is shown as it was written: some inputs take quadratic time. */
const MAX_INLINE_LENGTH = 4_000;
/** Deeper lists, quotes and emphasis are shown as they were written. */
const MAX_DEPTH = 10;

/** Parses Markdown with tables and single line breaks into tokens, or returns null if the text must be shown as it is. */
export function parseMarkdown(text: string): Token[] | null {
  if (text.length > MAX_LENGTH) return null;
  try {
    return new BoundedLexer({ gfm: true, breaks: true, tokenizer: new TextTokenizer() }).lex(text);
  } catch {
    return null;
  }
}

/** Decodes the entities of characters that Markdown gives a meaning; others stay as they were written. */
export function decodeEntities(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const ENTITIES: Record<string, string> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  "#39": "'",
};

const SAFE_PROTOCOLS = new Set(["http:", "https:", "mailto:"]);

/** The complete address of a link that may be opened, or null: only absolute http, https and mailto addresses may. */
export function safeAddress(href: string): string | null {
  const address = decodeEntities(href);
  if (!URL.canParse(address)) return null;
  const { protocol, href: complete } = new URL(address);
  return SAFE_PROTOCOLS.has(protocol) ? complete : null;
}

/** HTML has no meaning: its source is text. */
class TextTokenizer extends Tokenizer {
  override html(): undefined {
    return undefined;
  }

  override tag(): undefined {
    return undefined;
  }
}

class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(src: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], clipped?: boolean): Token[] {
    if (this.depth >= MAX_DEPTH) return plain(src, tokens);
    return this.deeper(() => super.blockTokens(src, tokens, clipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.depth >= MAX_DEPTH || src.length > MAX_INLINE_LENGTH) return plain(src, tokens);
    return this.deeper(() => super.inlineTokens(src, tokens));
  }

  private deeper<T>(parse: () => T): T {
    this.depth++;
    try {
      return parse();
    } finally {
      this.depth--;
    }
  }
}

/** Appends a text without markup. */
function plain(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: "escape", raw: text, text });
  return tokens;
}
