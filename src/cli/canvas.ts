import type { Screen } from "./surroundings.ts";

/** A screen of its own, given back as it was. Lines are drawn over the old ones: nothing flickers. */
export function openCanvas({ write }: Screen): {
  draw: (lines: readonly string[]) => void;
  close: () => void;
} {
  write("\u001b[?1049h\u001b[?25l");
  return {
    draw: (lines) => {
      write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
    },
    close: () => {
      write("\u001b[?25h\u001b[?1049l");
    },
  };
}
