import { useEffect, useRef, useState } from "react";
import { useConnection } from "../data/live.ts";
import { MemberNamesProvider } from "../data/members.tsx";
import { useMe } from "../data/queries.ts";
import { addresses } from "../addresses.ts";
import { Button, IconButton } from "../design/button.tsx";
import { useNow } from "../design/clock.ts";
import { Icon } from "../design/icon.tsx";
import { Menu } from "../design/menu.tsx";
import { PageDialogs } from "../design/page-dialogs.tsx";
import { Avatar } from "../design/person.tsx";
import { Skeleton } from "../design/states.tsx";
import { Boundary } from "../loading/boundary.tsx";
import { usePreference } from "../preferences.ts";
import { Link, useLocation } from "../router.tsx";
import { restoreScroll } from "../scroll-positions.ts";
import { Screen } from "../screens.tsx";
import { isReadOnly } from "../tasks/role-permissions.ts";
import { useI18n } from "../texts/i18n.tsx";
import { DemoBar } from "./demo-bar.tsx";
import { OutboxNote } from "./outbox-note.tsx";
import { Palette } from "./palette.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { SideNav } from "./side-nav.tsx";
import { SignOutProvider, useSignOut } from "./sign-out.tsx";
import { useShortcuts } from "./shortcuts.ts";
import "./shell.css";

/** Navigation and header around every screen. */
export function Shell() {
  return (
    <MemberNamesProvider>
      <SignOutProvider>
        <Frame />
      </SignOutProvider>
    </MemberNamesProvider>
  );
}

function Frame() {
  const { t } = useI18n();
  const { path, entry, isBack } = useLocation();
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const content = useRef<HTMLElement>(null);
  const openHelp = () => {
    setHelp(true);
  };
  useShortcuts({
    openPalette: () => {
      setPalette(true);
    },
    openHelp,
  });
  useEffect(() => {
    setDrawer(false);
    setPalette(false);
    if (isBack) return restoreScroll(entry);
    window.scrollTo(0, 0);
    return undefined;
  }, [path]);
  const toContent = () => content.current?.focus();
  return (
    <div className="shell">
      <Button className="skip" onClick={toContent}>
        {t.common.skip}
      </Button>
      <SideNav open={drawer} />
      <button
        type="button"
        className="drawer-ground"
        aria-label={t.common.close}
        data-open={drawer}
        onClick={() => {
          setDrawer(false);
        }}
      />
      <div className="stage">
        <TopBar
          drawer={drawer}
          onDrawer={setDrawer}
          onPalette={() => {
            setPalette(true);
          }}
        />
        <DemoBar />
        <StaleNote />
        <OutboxNote />
        <main className="content" tabIndex={-1} ref={content}>
          <Content path={path} />
        </main>
      </div>
      {palette && (
        <Palette
          onClose={() => {
            setPalette(false);
          }}
          onShortcuts={openHelp}
        />
      )}
      {help && (
        <ShortcutHelp
          onClose={() => {
            setHelp(false);
          }}
        />
      )}
    </div>
  );
}

function TopBar({
  drawer,
  onDrawer,
  onPalette,
}: {
  drawer: boolean;
  onDrawer: (open: boolean) => void;
  onPalette: () => void;
}) {
  const { t } = useI18n();
  return (
    <header className="top">
      <span className="narrow-only">
        <IconButton
          icon="menu"
          label={t.shell.menu}
          aria-expanded={drawer}
          onClick={() => {
            onDrawer(!drawer);
          }}
        />
      </span>
      <button type="button" className="finder" onClick={onPalette}>
        <Icon name="search" />
        <span>{t.shell.palette}</span>
        <kbd className="kbd" aria-hidden="true">
          Ctrl K
        </kbd>
      </button>
      <span className="push" />
      <ConnectionState />
      <Account />
    </header>
  );
}

/** The screen of a path, with its dialogs. */
function Content({ path }: { path: string }) {
  return (
    <PageDialogs page={path}>
      <Boundary key={path} placeholder={<Skeleton lines={6} height={22} />}>
        <Screen path={path} />
      </Boundary>
    </PageDialogs>
  );
}

/** State of the event stream. */
function ConnectionState() {
  const { t, f } = useI18n();
  const connection = useConnection();
  const now = useNow(1);
  const tone = connection.state === "live" ? "good" : connection.state === "lost" ? "warn" : "slate";
  const text =
    connection.state === "lost"
      ? t.shell.lost(f.span((now - connection.since) / 1_000))
      : t.shell[connection.state];
  return (
    <span className="pulse" data-tone={tone} data-connection={connection.state} title={text}>
      <i />
      <span>{text}</span>
    </span>
  );
}

function StaleNote() {
  const { t, f } = useI18n();
  const connection = useConnection();
  if (connection.state !== "lost") return null;
  return (
    <div className="stale" role="status">
      <Icon name="alert" />
      {t.shell.lostNote(f.time(connection.since))}
    </div>
  );
}

function Account() {
  const { t } = useI18n();
  const me = useMe();
  const signOut = useSignOut();
  const [theme, setTheme] = usePreference("theme");
  const dark = document.documentElement.dataset.theme === "dark";
  return (
    <Menu label={t.shell.account} className="button quiet icon" button={<Avatar id={me.id} name={me.name} />}>
      {(close) => (
        <>
          <p className="caption">
            {t.shell.signedInAs(me.name)}
            <br />
            {me.org_id} · {me.roles.join(", ")}
            {isReadOnly(me.roles) && ` · ${t.shell.readOnly}`}
          </p>
          <hr />
          <button
            type="button"
            onClick={() => {
              setTheme(dark ? "light" : "dark");
              close();
            }}
          >
            <Icon name={dark ? "sun" : "moon"} />
            {dark ? t.palette.themeLight : t.palette.themeDark}
            {theme === "system" && <span className="faint small push">{t.settings.themes.system}</span>}
          </button>
          <Link href={addresses.settings} onClick={close}>
            <Icon name="settings" />
            {t.shell.settings}
          </Link>
          <a href="/docs" target="_blank" rel="noreferrer">
            <Icon name="docs" />
            {t.shell.apiDocs}
          </a>
          <hr />
          <button
            type="button"
            onClick={() => {
              close();
              signOut();
            }}
          >
            <Icon name="out" />
            {t.shell.signOut}
          </button>
        </>
      )}
    </Menu>
  );
}
