import { createContext, useContext, useMemo } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { ConsolePlugin } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { ErrorState } from "../design/states.tsx";

/** What the console shows of a lifecycle beyond what every lifecycle has. */
export type LifecycleUi = Pick<ConsolePlugin, "tabs" | "texts" | "panel"> & {
  module: string | null;
  styles: string | null;
};

const GRAPH = { id: "graph", title: { en: "Graph", ru: "Граф" } };
const NO_UI: LifecycleUi = { module: null, styles: null, tabs: [GRAPH], panel: null, texts: {} };

const Context = createContext<(lifecycle: string) => LifecycleUi>(() => NO_UI);

/** Loads what plugins add to the console before anything of it is shown. */
export function KnowPlugins({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(queries.plugins());
  const uiOf = useMemo(() => {
    const known = new Map((data ?? []).map((plugin) => [plugin.lifecycle, plugin]));
    return (lifecycle: string) => known.get(lifecycle) ?? NO_UI;
  }, [data]);
  if (data) return <Context.Provider value={uiOf}>{children}</Context.Provider>;
  return error ? (
    <main className="lone-state">
      <ErrorState error={error} onRetry={() => void refetch()} />
    </main>
  ) : null;
}

/** What plugins add, by lifecycle. */
export function useUi(): (lifecycle: string) => LifecycleUi {
  return useContext(Context);
}
