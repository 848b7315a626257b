import type { Lifecycle, LifecycleFigures, Timer } from "../../data/client.ts";
import { StatusChip } from "../../design/status.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** Table of the lifecycle's rules. */
export function Rules({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t, f, n } = useI18n();
  const nameOf = (who: string) => n.who(lifecycle.who?.find(({ name }) => name === who)?.label ?? who);
  return (
    <section className="card">
      <header className="head">
        <h2>{t.lifecycle.rules}</h2>
        <span className="badge">{f.number(lifecycle.rules.length)}</span>
      </header>
      <div className="body flush scroll-x" tabIndex={0} role="region" aria-label={t.lifecycle.rules}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{t.lifecycle.action}</th>
              <th scope="col">{t.lifecycle.from}</th>
              <th scope="col">{t.lifecycle.to}</th>
              <th scope="col">{t.lifecycle.who}</th>
              <th scope="col">{t.lifecycle.guards}</th>
              <th scope="col">{t.lifecycle.effects}</th>
            </tr>
          </thead>
          <tbody>
            {lifecycle.rules.map((rule, index) => (
              <tr key={index}>
                <td>
                  <code>{rule.action}</code>
                </td>
                <td>
                  <span className="row wrap">
                    {rule.from.map((status) => (
                      <StatusChip key={status} lifecycle={lifecycle.name} status={status} />
                    ))}
                  </span>
                </td>
                <td>
                  {rule.to === null ? (
                    <span className="faint">{t.lifecycle.stays}</span>
                  ) : (
                    <StatusChip lifecycle={lifecycle.name} status={rule.to} />
                  )}
                </td>
                <td>{rule.who.map(nameOf).join(", ")}</td>
                <td className="soft">{rule.guards.map(inWords).join(", ")}</td>
                <td className="soft">{rule.effects.map(inWords).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Statuses({
  lifecycle,
  figures,
}: {
  lifecycle: Lifecycle;
  figures: LifecycleFigures | undefined;
}) {
  const { t, f, n } = useI18n();
  return (
    <section className="card">
      <header className="head">
        <h2>{t.lifecycle.statuses}</h2>
      </header>
      <div className="body flush scroll-x" tabIndex={0} role="region" aria-label={t.lifecycle.statuses}>
        <table className="plain-table">
          <tbody>
            {lifecycle.statuses.map((status) => {
              const counts = figures?.statuses.find((one) => one.status === status.name);
              return (
                <tr key={status.name}>
                  <th scope="row">
                    <StatusChip lifecycle={lifecycle.name} status={status.name} />
                  </th>
                  <td>{status.meaning}</td>
                  <td>
                    <span className="row wrap">
                      {status.final && <span className="tag">{t.lifecycle.final}</span>}
                      {status.success && <span className="tag">{t.lifecycle.success}</span>}
                      {status.lease && <span className="tag">{t.lifecycle.leased}</span>}
                      {(status.timers ?? []).map((timer) => (
                        <span key={timer.action} className="tag">
                          {t.lifecycle.timer(afterOf(timer), n.action(timer.action))}
                        </span>
                      ))}
                    </span>
                  </td>
                  <td className="num">{counts && f.number(counts.tasks ?? counts.entered)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Permissions({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t } = useI18n();
  const rows = Object.entries(lifecycle.permissions);
  if (rows.length === 0) return null;
  return (
    <section className="card">
      <header className="head">
        <h2>{t.lifecycle.permissions}</h2>
      </header>
      <div className="body flush scroll-x" tabIndex={0} role="region" aria-label={t.lifecycle.permissions}>
        <table className="plain-table">
          <tbody>
            {rows.map(([permission, roles]) => (
              <tr key={permission}>
                <th scope="row">
                  <code>{permission}</code>
                </th>
                <td>{roles === "anyone" ? t.lifecycle.anyone : roles.join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Guards and effects are named in plain words. */
function inWords(name: string): string {
  return name.replaceAll("_", " ");
}

function afterOf({ after }: Timer): string {
  return Object.entries(after)
    .map(([unit, amount]) => `${String(amount)} ${unit}`)
    .join(" ");
}
