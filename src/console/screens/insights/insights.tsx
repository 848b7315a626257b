import { useQuery } from "@tanstack/react-query";
import { SeriesChart } from "../../charts/series-chart.tsx";
import type { Insights as Figures } from "../../data/api-types.ts";
import { queries } from "../../data/queries.ts";
import { Segments } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { EmptyState } from "../../design/states.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { useSearch } from "../../router.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { ProjectSelect } from "../../tasks/project-select.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Ageing } from "./ageing.tsx";
import { DurationTable } from "./duration-table.tsx";
import { ByPerson, ByProject } from "./parts.tsx";
import { insightTexts } from "./texts.ts";
import type { InsightWindow } from "./texts.ts";
import "../../tasks/filters.css";
import "./insights.css";

const WINDOWS: readonly InsightWindow[] = ["hour", "day", "week", "month", "quarter", "year"];

/** Figures about the past of one lifecycle. All choices are in the address, so that a view can be shared. */
export function Insights() {
  const { t } = useI18n();
  const texts = useTexts(insightTexts);
  const [search, change] = useSearch();
  const [project, member] = [search.get("project") ?? "", search.get("member") ?? ""];
  const lifecycles = useQuery(queries.lifecycles());
  const lifecycle = search.get("lifecycle") ?? lifecycles.data?.[0]?.name ?? "";
  const window = WINDOWS.find((one) => one === search.get("window")) ?? "week";
  usePageTitle(texts.title);
  return (
    <>
      <header className="page-head">
        <div className="stack tight">
          <h1>{texts.title}</h1>
          <p className="soft small">{texts.hint}</p>
        </div>
        <span className="push" />
        <div className="insight-windows">
          <Segments
            label={texts.window}
            value={window}
            onChange={(value) => {
              change({ window: value });
            }}
            options={WINDOWS.map((value) => ({ value, label: texts.windows[value] }))}
          />
        </div>
      </header>
      <div className="filters" role="search">
        <select
          className="input small"
          aria-label={texts.lifecycle}
          value={lifecycle}
          onChange={(event) => {
            change({ lifecycle: event.target.value });
          }}
        >
          {(lifecycles.data ?? []).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <ProjectSelect
          className="input small"
          any
          value={project}
          onChange={(id) => {
            change({ project: id });
          }}
        />
        <MemberSelect
          value={member}
          onChange={(id) => {
            change({ member: id });
          }}
        />
      </div>
      {lifecycle !== "" && (
        <InsightsOf
          query={{
            lifecycle,
            window,
            project_id: project === "" ? undefined : project,
            member_id: member === "" ? undefined : member,
          }}
        />
      )}
      {lifecycles.data?.length === 0 && <EmptyState title={t.overview.noLifecycles} />}
    </>
  );
}

function MemberSelect({ value, onChange }: { value: string; onChange: (member: string) => void }) {
  const texts = useTexts(insightTexts);
  const { data: members = [] } = useQuery(queries.members());
  const isKnown = value === "" || members.some(({ id }) => id === value);
  return (
    <select
      className="input small"
      aria-label={texts.member}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      <option value="">{texts.anyone}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {members.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function InsightsOf({ query }: { query: Parameters<typeof queries.insights>[0] }) {
  const insights = useQuery(queries.insights(query));
  const { f } = useI18n();
  const texts = useTexts(insightTexts);
  return (
    <Loaded of={[insights]}>
      {(figures) => (
        <div className="insights">
          {figures.behind > 0 && (
            <p className="note" data-tone="warn" role="status">
              <Icon name="clock" />
              {texts.behind(
                f.number(figures.behind),
                figures.counted_until && f.moment(figures.counted_until),
              )}
            </p>
          )}
          <Throughput figures={figures} />
          <Flow figures={figures} />
          <DurationTable figures={figures} />
          <Ageing figures={figures} />
          <ByProject figures={figures} />
          <ByPerson figures={figures} />
        </div>
      )}
    </Loaded>
  );
}

function Throughput({ figures }: { figures: Figures }) {
  const texts = useTexts(insightTexts);
  const { created, finished } = figures;
  return (
    <section className="card" aria-label={texts.throughput}>
      <header className="head">
        <h2>{texts.throughput}</h2>
      </header>
      <div className="body">
        <SeriesChart
          label={texts.throughput}
          {...timesOf(figures)}
          summary={sum}
          series={[
            ...(created ? [{ name: texts.created, tone: "blue" as const, values: created }] : []),
            { name: texts.finished, tone: "good", values: finished },
          ]}
        />
      </div>
    </section>
  );
}

/** Cumulative flow: finished tasks at the bottom, and the earliest status at the top. */
function Flow({ figures }: { figures: Figures }) {
  const texts = useTexts(insightTexts);
  const { data: lifecycle } = useQuery(queries.lifecycle(figures.lifecycle));
  const label = useStatusLabel(figures.lifecycle);
  const used = figures.statuses.filter(({ flow }) => flow.some((tasks) => tasks > 0));
  const ends = used.filter(({ final }) => final);
  const ended = figures.finished.map((_, index) => sum(ends.map(({ flow }) => flow[index] ?? 0)));
  const series = [
    ...(ends.length > 0 ? [{ name: texts.finishedSince, tone: "good" as const, values: ended }] : []),
    ...used
      .filter(({ final }) => !final)
      .toReversed()
      .map(({ status, flow }) => ({ name: label(status), tone: toneOf(lifecycle, status), values: flow })),
  ];
  return (
    <section className="card" aria-label={texts.flow}>
      <header className="head">
        <h2>{texts.flow}</h2>
      </header>
      <div className="body">
        {figures.created === null ? (
          <p className="faint small chart-empty">{texts.noFlow}</p>
        ) : (
          <>
            <SeriesChart label={texts.flow} {...timesOf(figures)} stacked summary={last} series={series} />
            <p className="faint small">{texts.flowHint}</p>
          </>
        )}
      </div>
    </section>
  );
}

function timesOf({ since, bucket_seconds }: Figures) {
  return { begin: Date.parse(since) / 1_000, step: bucket_seconds };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function last(values: readonly number[]): number {
  return values.at(-1) ?? 0;
}
