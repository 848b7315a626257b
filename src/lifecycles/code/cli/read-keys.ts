import { emitKeypressEvents } from "node:readline";

type Key = { name?: string; ctrl?: boolean; sequence?: string };

/** Reads single keys from the terminal; returns a function that ends it, or null if standard input is not a terminal. */
export function readKeys(onKey: (key: string) => void): (() => void) | null {
  const { stdin } = process;
  if (!stdin.isTTY) return null;
  const listen = (text: string | undefined, { name, ctrl = false }: Key) => {
    if (ctrl) {
      if (name === "c") onKey("ctrl-c");
    } else onKey(text !== undefined && /^[!-~]$/.test(text) ? text : (name ?? ""));
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", listen).resume();
  return () => {
    stdin.off("keypress", listen).pause();
    stdin.setRawMode(false);
  };
}
