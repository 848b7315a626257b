import type { Screen } from "./cli-environment.ts";
import { control } from "./terminal-text.ts";

/** Switches to the terminal's alternate screen; `close` restores the old one. Drawing over the old lines avoids flicker. */
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
