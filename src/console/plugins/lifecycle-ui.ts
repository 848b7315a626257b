import { createContext, useContext } from "react";
import type { ConsolePlugin } from "../data/client.ts";

/** Tabs, texts and screens of one lifecycle in the console. */
export type LifecycleUi = Pick<ConsolePlugin, "tabs" | "texts" | "panel" | "fields"> & {
  module: string | null;
  styles: string | null;
};

const GRAPH = { id: "graph", title: { en: "Graph", ru: "Граф" } };

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
