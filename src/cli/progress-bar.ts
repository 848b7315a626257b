import { isTty } from "./print.ts";
import type { Progress, Screen } from "./cli-environment.ts";
import { control } from "./terminal-text.ts";

const MAX_BAR_LENGTH = 40;
/** Moves the cursor to the first column. */
const LINE_START = control("\u001b[G");
/** Clears the rest of the line. */
const CLEAR_LINE = control("\u001b[K");

/** Shows a progress bar on one line of a terminal and clears it at the end; does nothing in a pipe. */
export function progressBar(
  screen: Screen,
  what: string,
): { show: (progress: Progress) => void; end: () => void } {
  if (!isTty(screen)) return { show: () => undefined, end: () => undefined };
  const { write } = screen;
  return {
    show: ({ done, all }) => {
      const part = all === 0 ? 1 : Math.min(1, done / all);
      const figures = `${Math.floor(part * 100)} % of ${all} ${what}`;
      const length = Math.max(0, Math.min(MAX_BAR_LENGTH, screen.columns - figures.length - 3));
      const filled = Math.round(part * length);
      const bar = `${"█".repeat(filled)}${"░".repeat(length - filled)}`;
      write(`${LINE_START}${screen.colours.cyan(bar)} ${figures}${CLEAR_LINE}`);
    },
    end: () => {
      write(`${LINE_START}${CLEAR_LINE}`);
    },
  };
}
