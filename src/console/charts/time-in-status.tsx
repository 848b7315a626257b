import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import type { LifecycleFigures } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { toneOf, useStatusLabel } from "../design/status.tsx";
import { Link } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";
import "./charts.css";

/** Time that tasks stay in each status: the solid bar is the median, the light bar the 90th percentile. */
export function TimeInStatus({ figures }: { figures: LifecycleFigures }) {
  const { t, f } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(figures.name));
  const label = useStatusLabel(figures.name);
  const stays = figures.statuses.flatMap(({ status, median_seconds, slow_seconds }) =>
    median_seconds === null || slow_seconds === null ? [] : [{ status, median_seconds, slow_seconds }],
  );
  if (stays.length === 0) return <p className="faint small chart-empty">{t.overview.noMoves}</p>;
  const maxSeconds = Math.max(...stays.map(({ slow_seconds }) => slow_seconds), 1);
  // Square-root scale, so that seconds and days fit on one chart.
  const width = (seconds: number) => `${Math.max(1.5, Math.sqrt(seconds / maxSeconds) * 100)}%`;
  return (
    <ul className="stays">
      {stays.map(({ status, median_seconds, slow_seconds }) => (
        <li key={status} data-tone={toneOf(lifecycle, status)} title={status}>
          <Link
            className="cut"
            href={addresses.table(figures.name, { status, sort: "entered", order: "asc" })}
          >
            {label(status)}
          </Link>
          <span className="stay" aria-hidden="true">
            <i className="slow" style={{ width: width(slow_seconds) }} />
            <i style={{ width: width(median_seconds) }} />
          </span>
          <span className="num" title={`${f.span(median_seconds)} / ${f.span(slow_seconds)}`}>
            {f.span(median_seconds)}
          </span>
        </li>
      ))}
    </ul>
  );
}
