import { expect, test } from "vitest";
import type { Token } from "marked";
import { decodeEntities, parseMarkdown, safeAddress } from "./parse-markdown.ts";

/** The types of all tokens, with their children. */
function typesOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => [
    token.type,
    ...typesOf("tokens" in token ? (token.tokens ?? []) : []),
    ...("items" in token ? typesOf(token.items as Token[]) : []),
  ]);
}

test.each([
  ["a block", "<div onclick=x>\n\n**bold**\n\n</div>"],
  ["a script", "<script>alert(1)</script>"],
  ["a tag in a paragraph", "text <img src=x onerror=alert(1)> text"],
  ["a comment", "<!-- hidden -->"],
  ["a tag in a list", "- <b>one</b>\n- <i>two"],
  ["an unfinished tag", "<a href='"],
])("HTML is text: %s", (_, text) => {
  const types = typesOf(parseMarkdown(text) ?? []);
  expect(types.length).toBeGreaterThan(0);
  expect(types).not.toContain("html");
});

test.each([
  ["https://example.org/a?b=1&amp;c=2", "https://example.org/a?b=1&c=2"],
  ["HTTP://EXAMPLE.ORG", "http://example.org/"],
  ["mailto:lea@example.org", "mailto:lea@example.org"],
  ["javascript:alert(1)", null],
  [" JaVaScRiPt:alert(1)", null],
  ["java\nscript:alert(1)", null],
  ["javascript&#58;alert(1)", null],
  ["javascript&colon;alert(1)", null],
  ["data:text/html,<script>alert(1)</script>", null],
  ["vbscript:x", null],
  ["file:///etc/passwd", null],
  ["blob:https://example.org/1", null],
  ["//example.org", null],
  ["/tasks/1", null],
  ["#top", null],
  ["", null],
])("the address %j of a link is %j", (href, address) => {
  expect(safeAddress(href)).toBe(address);
});

test("entities of special characters are decoded once", () => {
  expect(decodeEntities("&lt;b&gt; &amp;lt; &copy; &#39;&quot;")).toBe("<b> &lt; &copy; '\"");
});

test("a paragraph, a nesting and a text over the limits are shown as they were written", () => {
  expect(typesOf(parseMarkdown("**a** ".repeat(1_000)) ?? [])).toEqual(["paragraph", "escape"]);
  expect(parseMarkdown("a ".repeat(30_000))).toBeNull();
  const quotes = typesOf(parseMarkdown(">".repeat(20_000)) ?? []);
  expect(quotes.filter((type) => type === "blockquote").length).toBeLessThan(12);
});

// Without the limits, each of these takes seconds or overflows the stack.
test.each([
  ">",
  "> ",
  "__a",
  "[",
  "[a](",
  "*a_ ",
  "~~a",
  "`a ``",
  "![",
  "- ",
  "|a",
  "\\",
  "<!--",
  "a@b.",
  "- - - a\n",
])("50,000 characters of %j are parsed", (part) => {
  expect(parseMarkdown(part.repeat(Math.floor(50_000 / part.length)))).not.toBeNull();
});
