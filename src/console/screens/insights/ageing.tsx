import { addresses } from "../../addresses.ts";
import type { Insights } from "../../data/api-types.ts";
import { StatusChip } from "../../design/status.tsx";
import { Link } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { insightTexts } from "./texts.ts";

const TONES = { p50: "warn", p85: "warn", p95: "bad" } as const;

/** Open tasks by status against the usual time there, and those that have been in theirs longest. */
export function Ageing({ figures }: { figures: Insights }) {
  const { f } = useI18n();
  const texts = useTexts(insightTexts);
  const { statuses, oldest } = figures.ageing;
  const now = Date.parse(figures.at);
  return (
    <section className="card" aria-label={texts.ageing}>
      <header className="head">
        <h2>{texts.ageing}</h2>
      </header>
      <div className="body">
        <div className="scroll-x" tabIndex={0} role="group" aria-label={texts.ageing}>
          <table className="insight-table">
            <thead>
              <tr>
                <th scope="col">{texts.status}</th>
                <th scope="col" className="num">
                  {texts.open}
                </th>
                {[50, 85, 95].map((percent) => (
                  <th key={percent} scope="col" className="num">
                    {texts.longerThan(percent)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {statuses.map((row) => (
                <tr key={row.status}>
                  <td>
                    <StatusChip lifecycle={figures.lifecycle} status={row.status} />
                  </td>
                  <td className="num">{f.number(row.tasks)}</td>
                  <td className="num">{f.number(row.over_p50)}</td>
                  <td className="num">{f.number(row.over_p85)}</td>
                  <td className="num" data-alarm={row.over_p95 > 0}>
                    {f.number(row.over_p95)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className="faint small">{texts.ageingHint}</p>
        {oldest.length > 0 && <h3>{texts.oldest}</h3>}
        <ul className="oldest">
          {oldest.map(({ task_id, title, status, entered_at, over }) => (
            <li key={task_id}>
              <Link className="cut" href={addresses.task(task_id)}>
                <bdi>{title}</bdi>
              </Link>
              <StatusChip lifecycle={figures.lifecycle} status={status} />
              <span className="num" data-tone={over === null ? "slate" : TONES[over]}>
                {f.span((now - Date.parse(entered_at)) / 1_000)}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
