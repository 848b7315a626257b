import { useEffect } from "react";
import { addresses } from "../addresses.ts";
import { navigate } from "../router.tsx";

const GO: Readonly<Record<string, string>> = {
  o: addresses.overview,
  e: addresses.events,
  m: addresses.members,
  s: addresses.settings,
};
/** How long after `g` the letter may come. */
const PAUSE_MS = 1_200;

/** Keys that work everywhere but where somebody writes. */
export function useShortcuts(openPalette: () => void): void {
  useEffect(() => {
    let wentAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      const key = latinKey(event);
      if ((event.ctrlKey || event.metaKey) && key === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      const isElsewhere = isWriting(event.target) || document.querySelector("dialog[open]") !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere) return;
      if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (field) event.preventDefault();
        field?.focus();
      } else if (key === "g") wentAt = Date.now();
      else if (Date.now() - wentAt < PAUSE_MS && Object.hasOwn(GO, key)) {
        wentAt = 0;
        // Not also for the card in focus, which has letters of its own.
        event.stopPropagation();
        event.preventDefault();
        navigate(GO[key] as string);
      }
    };
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKeyDown, { capture: true });
    };
  }, []);
}

/** The letter of a key; where another alphabet is written, the one that is printed beside it. */
export function latinKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  return /^[\x20-\x7e]$/.test(key) ? key.toLowerCase() : (letter ?? key).toLowerCase();
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
