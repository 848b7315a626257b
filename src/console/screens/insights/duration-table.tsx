import type { Insights } from "../../data/api-types.ts";
import { StatusChip } from "../../design/status.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { insightTexts } from "./texts.ts";

type Durations = Pick<Insights["lead"], "p50_seconds" | "p85_seconds" | "p95_seconds">;

/** The cells of three percentiles. */
export function DurationCells({ of }: { of: Durations }) {
  const { f } = useI18n();
  return [of.p50_seconds, of.p85_seconds, of.p95_seconds].map((seconds, index) => (
    <td key={index} className="num">
      {seconds === null ? "–" : f.span(seconds)}
    </td>
  ));
}

/** The heads of the columns of `DurationCells`. */
export function DurationHeads() {
  const texts = useTexts(insightTexts);
  return [50, 85, 95].map((percent) => (
    <th key={percent} scope="col" className="num">
      {texts.share(percent)}
    </th>
  ));
}

/** Time in each status, and from creation to the end, with percentiles. */
export function DurationTable({ figures }: { figures: Insights }) {
  const { f } = useI18n();
  const texts = useTexts(insightTexts);
  const { lead } = figures;
  const statuses = figures.statuses.filter(({ left }) => left > 0);
  return (
    <section className="card" aria-label={texts.stays}>
      <header className="head">
        <h2>{texts.stays}</h2>
      </header>
      <div className="body">
        {statuses.length + lead.finished === 0 ? (
          <p className="faint small chart-empty">{texts.none}</p>
        ) : (
          <div className="scroll-x" tabIndex={0} role="group" aria-label={texts.stays}>
            <table className="insight-table">
              <thead>
                <tr>
                  <th scope="col">{texts.status}</th>
                  <th scope="col" className="num">
                    {texts.left}
                  </th>
                  <DurationHeads />
                </tr>
              </thead>
              <tbody>
                {statuses.map((row) => (
                  <tr key={row.status}>
                    <td>
                      <StatusChip lifecycle={figures.lifecycle} status={row.status} />
                    </td>
                    <td className="num">{f.number(row.left)}</td>
                    <DurationCells of={row} />
                  </tr>
                ))}
                {lead.finished > 0 && (
                  <tr className="total">
                    <th scope="row" title={texts.leadOf(f.number(lead.finished))}>
                      {texts.lead}
                    </th>
                    <td className="num">{f.number(lead.finished)}</td>
                    <DurationCells of={lead} />
                  </tr>
                )}
              </tbody>
            </table>
          </div>
        )}
        <p className="faint small">{texts.staysHint}</p>
      </div>
    </section>
  );
}
