import { useMemo } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { ErrorState } from "../design/states.tsx";
import { NO_UI, UiContext } from "./lifecycle-ui.ts";

/** Loads the list of plugins before any screen is shown. */
export function PluginsProvider({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(queries.plugins());
  const uiOf = useMemo(() => {
    const byLifecycle = new Map((data ?? []).map((plugin) => [plugin.lifecycle, plugin]));
    return (lifecycle: string) => byLifecycle.get(lifecycle) ?? NO_UI;
  }, [data]);
  if (data) return <UiContext.Provider value={uiOf}>{children}</UiContext.Provider>;
  return error ? (
    <main className="lone-state">
      <ErrorState error={error} onRetry={() => void refetch()} />
    </main>
  ) : null;
}
