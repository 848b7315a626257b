/** Wraps a text at spaces. The caller has indented the first line; the others get `indent` spaces. */
export function wrap(text: string, columns: number, indent: number): string {
  return linesOf(text, columns - indent).join(`\n${" ".repeat(indent)}`);
}

/** Splits a text into lines of at most `width` characters; a longer word keeps its own line. */
export function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
