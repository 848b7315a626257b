import { useEffect, useRef } from "react";
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
  // On a phone not all tabs fit; scroll to the current one.
  useEffect(() => {
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [path, language]);
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
              <Optional>
                <Badge lifecycle={lifecycle} />
              </Optional>
            )}
          </Link>
        ))}
      </nav>
    </header>
  );
}
