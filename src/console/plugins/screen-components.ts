import type { ComponentType } from "react";
import type { Task } from "../data/client.ts";
import { lazyComponent } from "../loading/lazy-component.tsx";
import type { Screens } from "./define-screens.ts";
import type { LifecycleUi } from "./lifecycle-ui.ts";

/** The components of a lifecycle's screens; they load when they are first rendered. */
type ScreenComponents = {
  tab: (id: string) => ComponentType<{ lifecycle: string }> | null;
  /** Beside the title of a tab; renders nothing if the plugin has no badge for it. */
  badge: (id: string) => ComponentType<{ lifecycle: string }> | null;
  /** On cards; renders nothing if the plugin has no such component. */
  card: ComponentType<{ task: Task }> | null;
  panel: ComponentType<{ task: Task }> | null;
};

const NO_SCREENS: ScreenComponents = {
  tab: () => null,
  badge: () => null,
  card: null,
  panel: null,
};

const NOTHING = { default: () => null };

const cache = new Map<string, ScreenComponents>();

/** Gives the same components for the same module each time, so that React keeps their state. */
export function screensOf({ module, styles, tabs }: LifecycleUi): ScreenComponents {
  if (module === null) return NO_SCREENS;
  const ids = tabs.map(({ id }) => id);
  const screens = cache.get(module) ?? componentsOf(ids, () => loadScreens(module, styles));
  cache.set(module, screens);
  return screens;
}

function componentsOf(ids: readonly string[], load: () => Promise<Screens>): ScreenComponents {
  const tabs = new Map(ids.map((id) => [id, lazyComponent(() => loadTab(load, id))]));
  const badges = new Map(
    ids.map((id) => [
      id,
      lazyComponent<{ lifecycle: string }>(async () => (await load()).badges?.[id]?.() ?? NOTHING),
    ]),
  );
  return {
    tab: (id) => tabs.get(id) ?? null,
    badge: (id) => badges.get(id) ?? null,
    card: lazyComponent<{ task: Task }>(async () => (await load()).card?.() ?? NOTHING),
    panel: lazyComponent<{ task: Task }>(async () => (await load()).panel?.() ?? NOTHING),
  };
}

async function loadTab(load: () => Promise<Screens>, id: string) {
  const screen = (await load()).tabs?.[id];
  if (!screen) throw new Error(`the plugin's module has no screen for the tab "${id}"`);
  return screen();
}

async function loadScreens(module: string, styles: string | null): Promise<Screens> {
  if (styles !== null) addStyles(styles);
  const { default: screens } = (await import(/* @vite-ignore */ module)) as { default: Screens };
  return screens;
}

function addStyles(href: string): void {
  if (document.querySelector(`link[href="${CSS.escape(href)}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}
