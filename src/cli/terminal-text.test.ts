import { describe, expect, test } from "vitest";
import { control, jsonText, ownColours, toTerminal } from "./terminal-text.ts";

describe("text for a terminal", () => {
  test.each([
    ["colours", "a\u001b[31mb\u001b[0m", "ab"],
    ["cursor movements", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["a title for the window", "a\u001b]0;owned\u0007b", "ab"],
    ["a lone escape", "a\u001b", "a"],
    ["controls of 8-bit terminals", "a\u009b31mb\u0085c", "abc"],
    ["bells, backspaces and deletes", "a\u0007\b\u007fb", "ab"],
    ["characters that change the direction of text", "a\u202eb\u2066c", "abc"],
    ["returns, which overwrite a line", "10 %\r20 %\r\ndone", "10 %\n20 %\ndone"],
  ])("loses %s", (_, text, shown) => {
    expect(toTerminal(text)).toBe(shown);
  });

  test("keeps line breaks, tabs and letters of all languages", () => {
    const text = "Ünï\tcode 日本語 שלום 👩‍👩‍👧\n  next";
    expect(toTerminal(text)).toBe(text);
  });

  test("keeps Pawl's own colours and sequences, even around text that contains others", () => {
    const { bold, red } = ownColours(true);
    expect(toTerminal(red("a\u001b[32mb"))).toBe("\u001b[31mab\u001b[39m");
    expect(toTerminal(bold(`a ${red("b")} c`))).toBe("\u001b[1ma \u001b[31mb\u001b[39m c\u001b[22m");
    expect(toTerminal(`${control("\u001b[H")}\u001b[Hx`)).toBe("\u001b[Hx");
    expect(toTerminal(ownColours(false).red("a\u001b[32mb"))).toBe("ab");
  });

  test("has the same value as JSON, without control characters", () => {
    const value = { title: "a\u001b[31m\u009b31m\u007f\u202eb" };
    const text = jsonText(value, 2);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(text)).toEqual(value);
    expect(toTerminal(text)).toBe(text);
  });
});
