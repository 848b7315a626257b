import { useLayoutEffect, useRef } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import { Optional } from "../loading/optional.tsx";
import { queries, useMe } from "../data/queries.ts";
import { firstTabOf, useUi } from "../plugins/lifecycle-ui.ts";
import { screensOf } from "../plugins/screen-components.ts";
import { Link, useLocation } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import "./lifecycle-head.css";

/** How far the tabs of each lifecycle are scrolled. */
const scrolledTo = new Map<string, number>();

/** Title of a lifecycle and its tabs. */
export function LifecycleHead({ lifecycle, children }: { lifecycle: string; children?: ReactNode }) {
  const { t, language } = useI18n();
  const { path } = useLocation();
  const { data } = useQuery(queries.lifecycle(lifecycle));
  const ui = useUi()(lifecycle);
  const { roles } = useMe();
  const own = ui.tabs.map(({ id, title }) => ({
    id,
    href: addresses.screen(lifecycle, id),
    title: title[language] ?? title.en,
    Badge: screensOf(ui).badge(id),
  }));
  const first = firstTabOf(ui, roles);
  const tabs = [
    ...own.filter(({ id }) => id === first),
    { href: addresses.board(lifecycle), title: t.shell.board, Badge: null },
    { href: addresses.table(lifecycle), title: t.shell.table, Badge: null },
    ...own.filter(({ id }) => id !== first),
    { href: addresses.rules(lifecycle), title: t.shell.rules, Badge: null },
  ];
  const here = tabs.find(({ href }) => href === path)?.title ?? "";
  usePageTitle(`${lifecycle} · ${here}`);
  const bar = useRef<HTMLElement>(null);
  // On a phone not all tabs fit: scroll to the current one, from where they were on the previous screen.
  useLayoutEffect(() => {
    const tabs = bar.current;
    if (!tabs) return;
    tabs.scrollLeft = scrolledTo.get(lifecycle) ?? 0;
    const current = tabs.querySelector<HTMLElement>("[aria-current]");
    const [begin, end] = [current?.offsetLeft ?? 0, (current?.offsetLeft ?? 0) + (current?.offsetWidth ?? 0)];
    const isCut =
      begin - tabs.offsetLeft < tabs.scrollLeft || end - tabs.offsetLeft > tabs.scrollLeft + tabs.clientWidth;
    if (current && isCut)
      tabs.scrollLeft = begin - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
    scrolledTo.set(lifecycle, tabs.scrollLeft);
  }, [path, language, lifecycle]);
  return (
    <header className="lifecycle-head">
      <div className="page-head">
        <h1>{lifecycle}</h1>
        <p className="soft cut">{ui.texts[language]?.summary ?? data?.summary}</p>
        <span className="push" />
        {children}
      </div>
      <nav className="tabs" aria-label={lifecycle} ref={bar}>
        {tabs.map(({ href, title, Badge }) => (
          <Link key={href} href={href} aria-current={href === path ? "page" : undefined}>
            {title}
            {Badge && (
              <span className="badge-slot">
                <Optional>
                  <Badge lifecycle={lifecycle} />
                </Optional>
              </span>
            )}
          </Link>
        ))}
      </nav>
    </header>
  );
}
