/** Breaks a text at spaces so that it fits; the first line is already indented, the others are by this. */
export function wrap(text: string, columns: number, indent: number): string {
  return linesOf(text, columns - indent).join(`\n${" ".repeat(indent)}`);
}

/** The lines of a text, none longer than `width` unless a single word is. */
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
