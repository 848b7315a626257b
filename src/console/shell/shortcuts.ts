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
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (field) event.preventDefault();
        field?.focus();
      } else if (event.key === "g") wentAt = Date.now();
      else if (Date.now() - wentAt < PAUSE_MS && event.key in GO) {
        wentAt = 0;
        navigate(GO[event.key] as string);
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
    };
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
