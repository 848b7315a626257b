// Checks the prose of Markdown files and SQL comments for plain English: `tsx scripts/words/check-documents.ts [file …]`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { findFaults } from "./words.ts";

const files = process.argv.slice(2);
// The benchmark writes its results; its texts are in the sources.
const GENERATED = ":!bench/RESULTS.md";
const all = execFileSync("git", ["ls-files", "*.md", "*.sql", GENERATED], { encoding: "utf8" })
  .trim()
  .split("\n");
let count = 0;
for (const file of files.length > 0 ? files : all) {
  const text = readFileSync(file, "utf8");
  const paragraphs = file.endsWith(".sql") ? sqlComments(text) : paragraphsOf(text);
  for (const { line, prose } of paragraphs)
    for (const { found, instead } of findFaults(prose)) {
      count++;
      console.log(`${file}:${line} "${found}". Write instead: ${instead}.`);
    }
}
if (count > 0) {
  console.error(`\n${count} places to put in plain English`);
  process.exitCode = 1;
}

type Paragraph = { line: number; prose: string };

/** Paragraphs, list items and table rows, without code, quotations, headings and what is generated. */
function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let skips: string | null = null;
  let last: Paragraph | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const fence = /^\s*(```|~~~)/.exec(line)?.[1];
    if (fence !== undefined) skips = skips === fence ? null : (skips ?? fence);
    else if (line.startsWith("<!-- generated")) skips = "generated";
    else if (line.startsWith("<!-- end") && skips === "generated") skips = null;
    const isProse =
      skips === null && fence === undefined && !/^\s*(#|>|<|\[\d)/.test(line) && line.trim() !== "";
    if (!isProse) last = undefined;
    else if (last === undefined || /^\s*([-*]|\d+\.|\|)\s/.test(line)) {
      last = { line: at + 1, prose: line.replace(/^\s*([-*]|\d+\.)\s/, "") };
      paragraphs.push(last);
    } else last.prose += `\n${line}`;
  }
  return paragraphs;
}

function sqlComments(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let last: Paragraph | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const comment = /^\s*-- (.*)$/.exec(line)?.[1];
    if (comment === undefined) last = undefined;
    else if (last === undefined) paragraphs.push((last = { line: at + 1, prose: comment }));
    else last.prose += `\n${comment}`;
  }
  return paragraphs;
}
