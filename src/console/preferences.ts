import { useSyncExternalStore } from "react";

/** Preferences stored in the browser. */
type Preferences = {
  theme: "system" | "light" | "dark";
  language: "en" | "ru";
};

const ALLOWED: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ["system", "light", "dark"],
  language: ["en", "ru"],
};

const listeners = new Set<() => void>();
const inMemory = new Map<string, string>();
const dark = window.matchMedia("(prefers-color-scheme: dark)");

dark.addEventListener("change", applyTheme);
window.addEventListener("storage", notify);
applyTheme();

export function usePreference<Name extends keyof Preferences>(
  name: Name,
): [Preferences[Name], (value: Preferences[Name]) => void] {
  const value = useSyncExternalStore(subscribe, () => read(name));
  return [
    value,
    (next) => {
      // Without storage, the preference lasts until the page is closed.
      try {
        localStorage.setItem(`pawl.${name}`, next);
      } catch {
        inMemory.set(name, next);
      }
      notify();
    },
  ];
}

function read<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  const allowed = ALLOWED[name];
  let stored: string | null = inMemory.get(name) ?? null;
  try {
    stored = localStorage.getItem(`pawl.${name}`) ?? stored;
  } catch {
    // Without storage, use the value in memory.
  }
  const chosen = allowed.find((value) => value === stored);
  if (chosen !== undefined) return chosen;
  const browserLanguage =
    name === "language" ? allowed.find((value) => navigator.language.startsWith(value)) : undefined;
  return browserLanguage ?? (allowed[0] as Preferences[Name]);
}

/** Sets the attribute that the style sheets use. */
function applyTheme(): void {
  const theme = read("theme");
  const { dataset } = document.documentElement;
  dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
}

function notify(): void {
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
