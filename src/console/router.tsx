import { keepScroll } from "./scroll-positions.ts";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

/** Path and query of the page, and the history entry; `isBack` if the browser's buttons led to it. */
type RouteLocation = { path: string; search: string; entry: string; isBack: boolean };

let current: RouteLocation = read(false);
const listeners = new Set<() => void>();

// The console restores positions itself, after the page has its content again.
history.scrollRestoration = "manual";
window.addEventListener("popstate", () => {
  keepScroll(current.entry);
  notify(true);
});

/** Navigates to another page of the console. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  if (!replace) keepScroll(current.entry);
  const state = { entry: replace ? current.entry : crypto.randomUUID() };
  history[replace ? "replaceState" : "pushState"](state, "", to);
  notify(replace && current.isBack);
}

export function useLocation(): RouteLocation {
  return useSyncExternalStore(subscribe, () => current);
}

/** Returns the query parameters and a function that changes some of them without a new history entry; null removes one. */
export function useSearch(): [URLSearchParams, (change: Record<string, string | null>) => void] {
  const { search } = useLocation();
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

/** A link within the console. The browser handles clicks with a modifier key or another button. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const onLinkClick = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || isModified) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={onLinkClick} {...rest} />;
}

/** Matches a path against a pattern such as `/tasks/:id`; returns the parameters, or null if it does not match. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const patternParts = pattern.split("/");
  const pathParts = path.replace(/(?<=.)\/+$/, "").split("/");
  if (patternParts.length !== pathParts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index] ?? "";
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

function read(isBack: boolean): RouteLocation {
  const state = history.state as { entry?: string } | null;
  return { path: location.pathname, search: location.search, entry: state?.entry ?? "first", isBack };
}

function notify(isBack: boolean): void {
  current = read(isBack);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
