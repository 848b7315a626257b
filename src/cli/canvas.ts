import type { Screen } from "./surroundings.ts";
import { control } from "./terminal-text.ts";

/** A screen of its own, given back as it was. Lines are drawn over the old ones: nothing flickers. */
export function openCanvas({ write }: Screen): {
  draw: (lines: readonly string[]) => void;
  close: () => void;
} {
  write(control("\u001b[?1049h\u001b[?25l"));
  return {
    draw: (lines) => {
      const shown = lines.map((line) => `${line}${control("\u001b[K")}`);
      write(`${control("\u001b[H")}${shown.join("\n")}${control("\u001b[J")}`);
    },
    close: () => {
      write(control("\u001b[?25h\u001b[?1049l"));
    },
  };
}
