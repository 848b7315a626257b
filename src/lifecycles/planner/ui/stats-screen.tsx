import type { ReactNode } from "react";
import {
  Button,
  EmptyState,
  LifecycleHead,
  Loaded,
  Person,
  ProjectPicker,
  Segments,
  useI18n,
  useLiveQuery,
  useSearch,
  useTexts,
} from "../../../console/index.ts";
import { statsCsv } from "../stats-csv.ts";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { addDays, browserTimeZone, localDate } from "./local-time.ts";
import { planner, useProject, useReadsAttention } from "./planner-calls.ts";
import type { PlannerStats } from "./planner-calls.ts";
import "./planner.css";
import "./stats.css";

const RANGES = ["7", "28", "90"] as const;

/** Statistics of the last days; a day begins at the browser's midnight. */
export default function StatsScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(LEAD_TEXTS);
  const project = useProject();
  const mayRead = useReadsAttention();
  const [search, change] = useSearch();
  const days = RANGES.find((one) => one === search.get("days")) ?? "28";
  const tomorrow = addDays(new Date(), 1);
  const range = {
    from: addDays(tomorrow, -Number(days)).toISOString(),
    to: tomorrow.toISOString(),
    time_zone: browserTimeZone(),
  };
  const stats = useLiveQuery({
    lifecycle,
    key: ["stats", project, range.from],
    ask: (signal) => planner.getPlannerStats({ ...project, ...range }, { signal }),
    enabled: mayRead,
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <Segments
          label={texts.range}
          value={days}
          onChange={(value) => {
            change({ days: value === "28" ? null : value });
          }}
          options={RANGES.map((value) => ({ value, label: texts.days(Number(value)) }))}
        />
        <ProjectPicker />
      </LifecycleHead>
      {mayRead ? (
        <Loaded of={[stats]}>{(figures) => <Statistics stats={figures} />}</Loaded>
      ) : (
        <EmptyState icon="lock" title={texts.notForYou} hint={texts.notForYouHint} />
      )}
    </>
  );
}

function Statistics({ stats }: { stats: PlannerStats }) {
  const texts = useTexts(LEAD_TEXTS);
  return (
    <>
      <Figures stats={stats} />
      {!stats.complete && <p className="soft small">{texts.incomplete}</p>}
      <Throughput stats={stats} />
      <div className="floor">
        <Load
          title={texts.people}
          hint={texts.peopleHint}
          rows={stats.people.map((row) => ({
            ...row,
            key: row.member_id,
            name: <Person id={row.member_id} />,
          }))}
        />
        <Load
          title={texts.trades}
          hint={texts.tradesHint}
          rows={stats.trades.map((row) => ({
            ...row,
            key: row.trade ?? "",
            name: row.trade ?? texts.anyTrade,
          }))}
        />
      </div>
      <div className="row">
        <Button
          onClick={() => {
            download(stats);
          }}
        >
          {texts.download}
        </Button>
      </div>
    </>
  );
}

function Figures({
  stats: { done, lead_time_minutes, first_pass_yield, rework_rate },
}: {
  stats: PlannerStats;
}) {
  const { f } = useI18n();
  const { figures } = useTexts(LEAD_TEXTS);
  const span = (minutes: number | null) => (minutes === null ? "–" : f.span(minutes * 60));
  const percent = (share: number | null) =>
    share === null ? "–" : `${f.number(Math.round(share * 1_000) / 10)} %`;
  const shown: [keyof typeof figures, string][] = [
    ["done", f.number(done)],
    ["p50", span(lead_time_minutes.p50)],
    ["p90", span(lead_time_minutes.p90)],
    ["yield", percent(first_pass_yield)],
    ["rework", percent(rework_rate)],
  ];
  return (
    <dl className="card planner-figures">
      {shown.map(([name, value]) => (
        <div key={name} title={figures[name].hint}>
          <dd className="num">{value}</dd>
          <dt>{figures[name].label}</dt>
        </div>
      ))}
    </dl>
  );
}

function Throughput({ stats: { days, done } }: { stats: PlannerStats }) {
  const { f, language } = useI18n();
  const texts = useTexts(LEAD_TEXTS);
  const max = Math.max(1, ...days.map((day) => day.done));
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className="card planner-chart">
      <figcaption>
        <h2>{texts.throughput}</h2>
        <p className="faint small">{texts.throughputHint}</p>
      </figcaption>
      <div className="day-bars" role="img" aria-label={`${texts.throughput}: ${f.number(done)}`}>
        {days.map((day) => (
          <span key={day.from} title={`${date.format(new Date(day.from))}: ${f.number(day.done)}`}>
            <i style={{ height: `${(day.done / max) * 100}%` }} />
          </span>
        ))}
      </div>
      {first && last && (
        <p className="row spread faint small num">
          <span>{date.format(new Date(first.from))}</span>
          <span>{date.format(new Date(last.from))}</span>
        </p>
      )}
    </figure>
  );
}

type LoadRow = {
  key: string;
  name: ReactNode;
  done: number;
  rejected: number;
  worked_minutes: number;
  open: number;
};

function Load({ title, hint, rows }: { title: string; hint: string; rows: readonly LoadRow[] }) {
  const { f } = useI18n();
  const texts = useTexts(LEAD_TEXTS);
  const max = Math.max(1, ...rows.map(({ worked_minutes }) => worked_minutes));
  return (
    <figure className="card planner-chart">
      <figcaption>
        <h2>{title}</h2>
        <p className="faint small">{hint}</p>
      </figcaption>
      {rows.length === 0 ? (
        <p className="faint small">{texts.noWork}</p>
      ) : (
        <ul className="load-bars">
          {rows.map((row) => (
            <li key={row.key} data-load={row.key}>
              <span className="row spread">
                <span className="cut">{row.name}</span>
                <b className="num">{texts.hours(f.number(Math.round(row.worked_minutes / 6) / 10))}</b>
              </span>
              <span className="load-bar">
                <i style={{ width: `${(row.worked_minutes / max) * 100}%` }} />
              </span>
              <span className="faint small num">{texts.load(row)}</span>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function download(stats: PlannerStats): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([statsCsv(stats)], { type: "text/csv" }));
  link.download = `planner-${localDate(new Date(stats.from))}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
