import { queries, useMe } from "../../data/queries.ts";
import { useQuery } from "@tanstack/react-query";
import { Segments } from "../../design/button.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton } from "../../design/states.tsx";
import { usePreference } from "../../preferences.ts";
import { ShortcutList } from "../../shell/shortcut-list.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { LANGUAGES, useI18n } from "../../texts/i18n.tsx";
import type { Language } from "../../texts/i18n.tsx";
import { Projects } from "./projects.tsx";
import "./settings.css";

/** Preferences of this browser, and the settings of each project. */
export function Settings() {
  const { t } = useI18n();
  usePageTitle(t.settings.title);
  const projects = useQuery(queries.projects());
  return (
    <>
      <header className="page-head">
        <h1>{t.settings.title}</h1>
      </header>
      <div className="settings-page">
        <Appearance />
        <Keyboard />
        <About />
        <Loaded of={[projects]} placeholder={<Skeleton lines={4} />}>
          {(found) => <Projects projects={found} />}
        </Loaded>
      </div>
    </>
  );
}

function Appearance() {
  const { t } = useI18n();
  const [theme, setTheme] = usePreference("theme");
  const [language, setLanguage] = usePreference("language");
  const languages = Object.entries(LANGUAGES).map(([value, { name }]) => ({
    value: value as Language,
    label: name,
  }));
  return (
    <section className="card">
      <header className="head">
        <h2>{t.settings.appearance}</h2>
        <span className="faint small">{t.settings.appearanceHint}</span>
      </header>
      <div className="body stack">
        <div className="row wrap spread">
          <span>{t.settings.theme}</span>
          <Segments
            label={t.settings.theme}
            value={theme}
            onChange={setTheme}
            options={(["system", "light", "dark"] as const).map((value) => ({
              value,
              label: t.settings.themes[value],
            }))}
          />
        </div>
        <div className="row wrap spread">
          <span>{t.settings.language}</span>
          <Segments label={t.settings.language} value={language} onChange={setLanguage} options={languages} />
        </div>
      </div>
    </section>
  );
}

function Keyboard() {
  const { t } = useI18n();
  return (
    <section className="card">
      <header className="head">
        <h2>{t.settings.shortcuts}</h2>
      </header>
      <div className="body">
        <ShortcutList />
      </div>
    </section>
  );
}

function About() {
  const { t } = useI18n();
  const me = useMe();
  return (
    <section className="card">
      <header className="head">
        <h2>{t.settings.about}</h2>
      </header>
      <dl className="body definition">
        <div className="pair">
          <dt>{t.settings.org}</dt>
          <dd>
            <code>{me.org_id}</code>
          </dd>
        </div>
        <div className="pair">
          <dt>{t.settings.you}</dt>
          <dd>
            {me.name} (<code>{me.id}</code>) · {me.roles.join(", ")}
          </dd>
        </div>
        <div className="pair">
          <dt>API</dt>
          <dd className="row">
            <a href="/docs">/docs</a> <a href="/openapi.json">/openapi.json</a>
          </dd>
        </div>
      </dl>
    </section>
  );
}
