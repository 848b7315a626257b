import { useQuery } from "@tanstack/react-query";
import type { CheckReport } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Icon } from "../../design/icon.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton } from "../../design/states.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** Result of `check`, which explores every situation of the lifecycle. */
export function Check({ lifecycle }: { lifecycle: string }) {
  const { t } = useI18n();
  const checkQuery = useQuery(queries.check(lifecycle));
  return (
    <section className="card">
      <header className="head">
        <h2>{t.lifecycle.check}</h2>
      </header>
      <div className="body">
        <Loaded compact of={[checkQuery]} placeholder={<Skeleton />}>
          {(report) => <Report report={report} />}
        </Loaded>
      </div>
    </section>
  );
}

function Report({ report }: { report: CheckReport }) {
  const { t, f } = useI18n();
  const worst = report.findings.some(({ level }) => level === "error") ? "bad" : "warn";
  return (
    <div className="stack">
      <div className="note" data-tone={report.findings.length === 0 ? "good" : worst}>
        <Icon name={report.findings.length === 0 ? "check" : "alert"} />
        <div>
          <b>
            {report.findings.length === 0
              ? t.lifecycle.checkFine
              : t.lifecycle.checkFindings(report.findings.length)}
          </b>
          <p className="small soft">
            {t.lifecycle.checkOf(f.number(report.situations), f.number(report.steps))}
          </p>
        </div>
      </div>
      {report.findings.map(({ level, message, path }) => (
        <details key={message} className="finding" data-tone={level === "error" ? "bad" : "warn"}>
          <summary>
            <code>{level}</code> {message}
          </summary>
          {path.length > 0 && (
            <ol className="small">
              {path.map((step, index) => (
                <li key={index}>
                  <code>{step.action}</code> {t.task.by(step.by)} → {step.state}
                </li>
              ))}
            </ol>
          )}
        </details>
      ))}
      {report.invariants.length > 0 && (
        <div className="stack tight">
          <h3>{t.lifecycle.invariants}</h3>
          <ul className="invariants">
            {report.invariants.map((name) => (
              <li key={name}>
                <Icon name="check" /> {name}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
