import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

/** The address of the page, as far as it is ours. */
type Place = { path: string; search: string };

let place: Place = read();
const listeners = new Set<() => void>();

window.addEventListener("popstate", tell);

/** Goes somewhere within the console. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  tell();
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** What stands in the address after the question mark; changing it goes nowhere, so it adds no step back. */
export function useSearch(): [URLSearchParams, (change: Record<string, string | null>) => void] {
  const { search } = usePlace();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback((changes: Record<string, string | null>) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(location.pathname + (text === "" ? "" : `?${text}`), { replace: true });
  }, []);
  return [params, change];
}

/** A link within the console; the browser's own ways of opening one stay as they are. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const special = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || special) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={go} {...rest} />;
}

/** The parts of a path that a pattern names (`/tasks/:id`); null where it does not fit. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/(?<=.)\/+$/, "").split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read(): Place {
  return { path: location.pathname, search: location.search };
}

function tell(): void {
  place = read();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
