import {
  addresses,
  EmptyState,
  LifecycleHead,
  Link,
  Loaded,
  ProjectPicker,
  useI18n,
  useLiveQuery,
  useSearch,
  useTexts,
} from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import type { UsageRow } from "./code-calls.ts";
import { USAGE_TEXTS } from "./usage-texts.ts";
import "./usage.css";

const DAYS = 30;
const MAX_TASKS = 20;
const DAY_MS = 86_400_000;

type ChartDay = { day: string; row: UsageRow | undefined };

/** Tokens and cost by day, agent and task. */
export default function UsageScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(USAGE_TEXTS);
  const [search] = useSearch();
  const project_id = search.get("project");
  const query = (by: "day" | "agent" | "task", limit: number) => ({
    lifecycle,
    key: ["usage", by, project_id],
    ask: (signal: AbortSignal) =>
      code.getCodeUsage({ by, days: DAYS, limit, ...(project_id ? { project_id } : {}) }, { signal }),
  });
  const days = useLiveQuery(query("day", DAYS));
  const agents = useLiveQuery(query("agent", MAX_TASKS));
  const tasks = useLiveQuery(query("task", MAX_TASKS));
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[days, agents, tasks]}>
        {(byDay, byAgent, byTask) =>
          byDay.rows.length === 0 ? (
            <EmptyState icon="play" title={texts.usageEmpty} hint={texts.usageEmptyHint} />
          ) : (
            <>
              <DayCharts rows={byDay.rows} />
              <UsageTable name={texts.by.agent} rows={byAgent.rows} />
              <UsageTable name={texts.by.task} rows={byTask.rows} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Cost per day, and tokens per day: some agents report no cost. */
function DayCharts({ rows }: { rows: readonly UsageRow[] }) {
  const texts = useTexts(USAGE_TEXTS);
  const days = Array.from({ length: DAYS }, (_, at) =>
    new Date(Date.now() - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  ).map((day) => ({ day, row: rows.find(({ key }) => key === day) }));
  return (
    <section className="card" aria-label={texts.usage}>
      <header className="head">
        <h2>{texts.usage}</h2>
        <span className="push small faint">{texts.usageHint}</span>
      </header>
      {rows.some(({ cost_usd }) => cost_usd !== null) && <DayChart days={days} measure="cost" />}
      <DayChart days={days} measure="tokens" />
      <div className="usage-axis small faint num">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </div>
    </section>
  );
}

/** A bar per day. The caption names the highest one, because bars alone have no figures on a touch screen. */
function DayChart({ days, measure }: { days: readonly ChartDay[]; measure: "cost" | "tokens" }) {
  const { f } = useI18n();
  const texts = useTexts(USAGE_TEXTS);
  const valueOf = ({ row }: ChartDay) =>
    row === undefined ? 0 : measure === "cost" ? (row.cost_usd ?? 0) : row.input_tokens + row.output_tokens;
  const max = Math.max(...days.map(valueOf));
  const highest = days.find((day) => valueOf(day) === max)?.day ?? "";
  const caption = texts.chart[measure](max, highest, f);
  return (
    <figure className="usage-figure">
      <figcaption className="small">{caption}</figcaption>
      <div className="usage-chart" role="img" aria-label={caption} data-measure={measure}>
        {days.map((one) => (
          <span
            key={one.day}
            title={one.row ? `${one.day}: ${texts.used(one.row, f)}` : one.day}
            data-day={one.day}
          >
            <i style={{ height: `${max === 0 ? 0 : (valueOf(one) / max) * 100}%` }} />
          </span>
        ))}
      </div>
    </figure>
  );
}

function UsageTable({ name, rows }: { name: string; rows: readonly UsageRow[] }) {
  const { f } = useI18n();
  const texts = useTexts(USAGE_TEXTS);
  return (
    <section className="card" aria-label={name}>
      <header className="head">
        <h2>{name}</h2>
        <span className="badge">{rows.length}</span>
      </header>
      <ul className="usage-rows">
        {rows.map((row) => (
          <li key={row.key} className="row">
            {row.title === null ? (
              <b>{row.key}</b>
            ) : (
              <Link className="cut" href={addresses.task(row.key)}>
                {row.title}
              </Link>
            )}
            <span className="push small faint">{texts.attempts(row.runs)}</span>
            <span className="num">{texts.used(row, f)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
