import { createContext, useContext } from "react";
import type { ConsolePlugin } from "../data/client.ts";

/** Tabs, texts and screens of one lifecycle in the console. */
export type LifecycleUi = Pick<ConsolePlugin, "tabs" | "texts" | "panel" | "fields"> & {
  module: string | null;
  styles: string | null;
};

const GRAPH = { id: "graph", title: { en: "Graph", ru: "Граф" }, first_for: [] };

/** UI of a lifecycle whose plugin adds nothing to the console. */
export const NO_UI: LifecycleUi = {
  module: null,
  styles: null,
  tabs: [GRAPH],
  panel: null,
  texts: {},
  fields: {},
};

export const UiContext = createContext<(lifecycle: string) => LifecycleUi>(() => NO_UI);

/** Finds what the plugin of a lifecycle adds to the console. */
export function useUi(): (lifecycle: string) => LifecycleUi {
  return useContext(UiContext);
}

/** The tab that a member with these roles sees first; null for the board. */
export function firstTabOf({ tabs }: LifecycleUi, roles: readonly string[]): string | null {
  return tabs.find(({ first_for }) => first_for.some((role) => roles.includes(role)))?.id ?? null;
}
