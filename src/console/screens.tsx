import type { ComponentType } from "react";
import { addresses } from "./addresses.ts";
import { EmptyState } from "./design/states.tsx";
import { useUi } from "./plugins/lifecycle-ui.ts";
import { screensOf } from "./plugins/screen-components.ts";
import { lazyComponent } from "./loading/lazy-component.tsx";
import { Link, matchPath } from "./router.tsx";
import { Overview } from "./screens/overview/overview.tsx";
import { NamesOf, useI18n } from "./texts/i18n.tsx";

type Params = Record<string, string>;
type Route = [pattern: string, screen: ComponentType<Params>];

/** Screens by path. The overview is part of the main script; others load when they are first opened. */
const SCREENS: readonly Route[] = [
  ["/", Overview],
  ["/lifecycles/:lifecycle/board", screen(async () => (await import("./screens/board/board.tsx")).Board)],
  ["/lifecycles/:lifecycle/table", screen(async () => (await import("./screens/table/table.tsx")).Table)],
  [
    "/lifecycles/:lifecycle/rules",
    screen(async () => (await import("./screens/lifecycle/lifecycle.tsx")).LifecycleScreen),
  ],
  ["/lifecycles/:lifecycle/:tab", PluginScreen],
  [addresses.tasks, screen(async () => (await import("./screens/table/all-tasks.tsx")).AllTasks)],
  ["/tasks/:id", screen(async () => (await import("./screens/task/task.tsx")).TaskScreen)],
  [addresses.insights, screen(async () => (await import("./screens/insights/insights.tsx")).Insights)],
  [addresses.events, screen(async () => (await import("./screens/events/events.tsx")).Events)],
  [addresses.members, screen(async () => (await import("./screens/members/members.tsx")).Members)],
  [addresses.settings, screen(async () => (await import("./screens/settings/settings.tsx")).Settings)],
];

export function Screen({ path }: { path: string }) {
  for (const [pattern, ScreenComponent] of SCREENS) {
    const params = matchPath(pattern, path);
    if (!params) continue;
    const element = <ScreenComponent key={JSON.stringify(params)} {...params} />;
    const { lifecycle } = params;
    return lifecycle === undefined ? element : <NamesOf lifecycle={lifecycle}>{element}</NamesOf>;
  }
  return <NotFound />;
}

/** A tab that every lifecycle can list: the graph of tasks that wait for each other. */
const Graph = lazyComponent(() => import("./screens/graph/graph.tsx"));

function screen(load: () => Promise<ComponentType<never>>) {
  return lazyComponent(async () => ({ default: (await load()) as ComponentType<Params> }));
}

/** A screen from a lifecycle's plugin. */
function PluginScreen({ lifecycle = "", tab = "" }: Params) {
  const ui = useUi()(lifecycle);
  const isListed = ui.tabs.some(({ id }) => id === tab);
  if (isListed && tab === "graph") return <Graph lifecycle={lifecycle} />;
  const Own = isListed ? screensOf(ui).tab(tab) : null;
  return Own ? <Own lifecycle={lifecycle} /> : <NotFound />;
}

function NotFound() {
  const { t } = useI18n();
  return (
    <EmptyState icon="search" title={t.common.notFound} hint={t.common.notFoundHint}>
      <Link className="button" href={addresses.overview}>
        {t.common.toOverview}
      </Link>
    </EmptyState>
  );
}
