import { useSyncExternalStore } from "react";

/** What a browser remembers of its user's taste. */
type Preferences = {
  theme: "system" | "light" | "dark";
  language: "en" | "ru";
};

const ALLOWED: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ["system", "light", "dark"],
  language: ["en", "ru"],
};

const listeners = new Set<() => void>();
const kept = new Map<string, string>();
const dark = window.matchMedia("(prefers-color-scheme: dark)");

dark.addEventListener("change", dress);
window.addEventListener("storage", tell);
dress();

export function usePreference<Name extends keyof Preferences>(
  name: Name,
): [Preferences[Name], (value: Preferences[Name]) => void] {
  const value = useSyncExternalStore(subscribe, () => read(name));
  return [
    value,
    (next) => {
      // A browser that keeps nothing forgets it with the page.
      try {
        localStorage.setItem(`pawl.${name}`, next);
      } catch {
        kept.set(name, next);
      }
      tell();
    },
  ];
}

function read<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  const allowed = ALLOWED[name];
  let stored: string | null = kept.get(name) ?? null;
  try {
    stored = localStorage.getItem(`pawl.${name}`) ?? stored;
  } catch {
    // As above.
  }
  const chosen = allowed.find((value) => value === stored);
  if (chosen !== undefined) return chosen;
  const spoken =
    name === "language" ? allowed.find((value) => navigator.language.startsWith(value)) : undefined;
  return spoken ?? (allowed[0] as Preferences[Name]);
}

/** Puts on the page what style sheets go by. */
function dress(): void {
  const theme = read("theme");
  const { dataset } = document.documentElement;
  dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
}

function tell(): void {
  dress();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
