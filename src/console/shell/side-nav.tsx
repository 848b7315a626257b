import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import { queries, useMe } from "../data/queries.ts";
import { Icon } from "../design/icon.tsx";
import type { IconName } from "../design/icon.tsx";
import { firstTabOf, useUi } from "../plugins/lifecycle-ui.ts";
import { Link, useLocation } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { navTexts } from "./nav-texts.ts";
import { Logo } from "./logo.tsx";

/** Main navigation: lifecycles with their open tasks, and the other pages. */
export function SideNav({ open }: { open: boolean }) {
  const { t, f } = useI18n();
  const insights = useTexts(navTexts);
  const { path } = useLocation();
  const { roles } = useMe();
  const uiOf = useUi();
  const homeOf = (name: string) => {
    const first = firstTabOf(uiOf(name), roles);
    return first === null ? addresses.board(name) : addresses.screen(name, first);
  };
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const { data: overview } = useQuery(queries.overview({ window: "day" }));
  const figures = new Map(overview?.lifecycles.map((one) => [one.name, one]));
  return (
    <aside className="side" data-open={open}>
      <Logo />
      <nav aria-label={t.shell.main}>
        <ul>
          <NavItem
            href={addresses.overview}
            icon="overview"
            title={t.shell.overview}
            current={path === "/"}
          />
          <NavItem
            href={addresses.tasksBy({ owner: "me" })}
            icon="hand"
            title={t.shell.myTasks}
            current={path === addresses.tasks}
          />
        </ul>
        <div>
          <h2>{t.shell.lifecycles}</h2>
          <ul>
            {lifecycles.map(({ name }) => {
              const { open: tasks = 0, attention = 0 } = figures.get(name) ?? {};
              return (
                <NavItem
                  key={name}
                  href={homeOf(name)}
                  icon="board"
                  title={name}
                  current={path.startsWith(`/lifecycles/${encodeURIComponent(name)}/`)}
                  badge={tasks > 0 ? f.short(tasks) : undefined}
                  alert={attention > 0 ? t.shell.attention(attention) : undefined}
                />
              );
            })}
          </ul>
        </div>
        <ul>
          <NavItem
            href={addresses.insights}
            icon="insights"
            title={insights.title}
            current={path === addresses.insights}
          />
          <NavItem
            href={addresses.events}
            icon="events"
            title={t.shell.events}
            current={path === addresses.events}
          />
          <NavItem
            href={addresses.members}
            icon="members"
            title={t.shell.members}
            current={path === addresses.members}
          />
          <NavItem
            href={addresses.settings}
            icon="settings"
            title={t.shell.settings}
            current={path === addresses.settings}
          />
        </ul>
      </nav>
    </aside>
  );
}

function NavItem({
  href,
  icon,
  title,
  current,
  badge,
  alert,
}: {
  href: string;
  icon: IconName;
  title: string;
  current: boolean;
  badge?: string | undefined;
  alert?: string | undefined;
}) {
  return (
    <li>
      <Link href={href} aria-current={current ? "page" : undefined}>
        <Icon name={icon} />
        <span className="cut">{title}</span>
        {alert && <i className="dot" title={alert} role="img" aria-label={alert} />}
        {badge && <span className="badge">{badge}</span>}
      </Link>
    </li>
  );
}
