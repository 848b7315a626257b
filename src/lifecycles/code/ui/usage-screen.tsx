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
              <DayChart rows={byDay.rows} />
              <UsageTable name={texts.by.agent} rows={byAgent.rows} />
              <UsageTable name={texts.by.task} rows={byTask.rows} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** A bar per day: its cost, or its tokens if no agent reports a cost. */
function DayChart({ rows }: { rows: readonly UsageRow[] }) {
  const { f } = useI18n();
  const texts = useTexts(USAGE_TEXTS);
  const hasCost = rows.some(({ cost_usd }) => cost_usd !== null);
  const valueOf = (row: UsageRow | undefined) =>
    row === undefined ? 0 : hasCost ? (row.cost_usd ?? 0) : row.input_tokens + row.output_tokens;
  const days = Array.from({ length: DAYS }, (_, at) =>
    new Date(Date.now() - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  ).map((day) => ({ day, row: rows.find(({ key }) => key === day) }));
  const max = Math.max(...days.map(({ row }) => valueOf(row)));
  return (
    <section className="card" aria-label={texts.usage}>
      <header className="head">
        <h2>{texts.usage}</h2>
        <span className="push small faint">{texts.usageHint}</span>
      </header>
      <div className="usage-chart" role="img" aria-label={texts.chart(DAYS)}>
        {days.map(({ day, row }) => (
          <span key={day} title={row ? `${day}: ${texts.used(row, f)}` : day} data-day={day}>
            <i style={{ height: `${max === 0 ? 0 : (valueOf(row) / max) * 100}%` }} />
          </span>
        ))}
      </div>
      <div className="usage-axis small faint num">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </div>
    </section>
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
