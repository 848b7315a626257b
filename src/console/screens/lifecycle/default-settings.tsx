import type { Lifecycle } from "../../data/client.ts";
import { DataValue } from "../../tasks/data-value.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** Settings of a lifecycle with their defaults. */
export function DefaultSettings({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t, n } = useI18n();
  const rows = flatten(lifecycle.settings?.defaults ?? {});
  return (
    <section className="card">
      <header className="head">
        <h2>{t.lifecycle.settings}</h2>
      </header>
      <div className="body stack">
        {rows.length === 0 ? (
          <p className="faint">{t.lifecycle.noSettings}</p>
        ) : (
          <>
            <p className="faint small">{t.lifecycle.settingsHint}</p>
            <dl className="definition">
              {rows.map(([name, value]) => (
                <div key={name} className="pair">
                  <dt title={name}>{name.split(".").map(n.field).join(" › ")}</dt>
                  <dd>
                    <DataValue name={name} value={value} />
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </div>
    </section>
  );
}

function flatten(settings: Record<string, unknown>, path = ""): [string, unknown][] {
  return Object.entries(settings).flatMap(([name, value]): [string, unknown][] => {
    const settingPath = path === "" ? name : `${path}.${name}`;
    const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
    return isGroup ? flatten(value as Record<string, unknown>, settingPath) : [[settingPath, value]];
  });
}
