import type { ComponentType } from "react";
import type { Task } from "../data/client.ts";
import { lazyComponent } from "../loading/lazy-component.tsx";
import type { Screens } from "./define-screens.ts";
import type { LifecycleUi } from "./lifecycle-ui.ts";

/** The components of a plugin's screens; they load when they are first rendered. */
export type PluginScreens = {
  tab: (id: string) => ComponentType<{ lifecycle: string }> | null;
  panel: ComponentType<{ task: Task }>;
};

const graph = lazyComponent(() => import("../screens/graph/graph.tsx"));
const known = new Map<string, PluginScreens>();

/** The same components for the same module each time, so that React keeps their state. */
export function screensOf({ module, styles, tabs }: LifecycleUi): PluginScreens | null {
  if (module === null) return null;
  const screens =
    known.get(module) ??
    componentsOf(
      module,
      styles,
      tabs.map(({ id }) => id),
    );
  known.set(module, screens);
  return screens;
}

/** The graph of tasks that wait for each other is there for every lifecycle that lists it. */
export const GRAPH_TAB = { id: "graph", component: graph };

function componentsOf(module: string, styles: string | null, ids: readonly string[]): PluginScreens {
  const load = () => loadScreens(module, styles);
  const tabs = new Map(
    ids.map((id) => [
      id,
      id === GRAPH_TAB.id
        ? graph
        : lazyComponent<{ lifecycle: string }>(async () => {
            const screen = (await load()).tabs?.[id];
            if (!screen) throw new Error(`${module} has no screen for the tab "${id}"`);
            return screen();
          }),
    ]),
  );
  return {
    tab: (id) => tabs.get(id) ?? null,
    panel: lazyComponent<{ task: Task }>(async () => (await load()).panel?.() ?? { default: Nothing }),
  };
}

function Nothing(): null {
  return null;
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
