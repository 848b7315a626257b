import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import type { Overview as Figures } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import type { Window } from "../../data/queries.ts";
import { Segments } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton, EmptyState } from "../../design/states.tsx";
import { Link, useSearch } from "../../router.tsx";
import { DemoCard } from "../../shell/demo-bar.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { AttentionList } from "./attention-list.tsx";
import { InboxCard } from "./inbox.tsx";
import { LifecycleCard } from "./lifecycle-card.tsx";
import { Workers } from "./workers.tsx";
import "./overview.css";

const WINDOWS: readonly Window[] = ["hour", "day", "week"];

/** Figures of all lifecycles, tasks that need attention, and active workers. */
export function Overview() {
  const { t, f } = useI18n();
  const [window, setWindow] = useWindow();
  const overview = useQuery(queries.overview({ window }));
  const { data } = overview;
  usePageTitle(t.overview.title);
  return (
    <>
      <header className="page-head">
        <h1>{t.overview.title}</h1>
        <span className="push" />
        {data && <span className="faint small">{t.overview.asOf(f.time(data.at))}</span>}
        <Segments
          label={t.overview.throughput}
          value={window}
          onChange={setWindow}
          options={WINDOWS.map((value) => ({ value, label: t.overview.window[value] }))}
        />
      </header>
      <Loaded of={[overview]} placeholder={<Loading />}>
        {(figures) => <OverviewContent data={figures} />}
      </Loaded>
    </>
  );
}

/** The time window of the figures; stored in the address, so that it can be shared. */
export function useWindow(): [Window, (window: Window) => void] {
  const [search, change] = useSearch();
  const window = WINDOWS.find((one) => one === search.get("window")) ?? "day";
  return [
    window,
    (value) => {
      change({ window: value === "day" ? null : value });
    },
  ];
}

function OverviewContent({ data }: { data: Figures }) {
  const { t, f } = useI18n();
  // Busy lifecycles first, unused ones last.
  const lifecycles = data.lifecycles.toSorted((a, b) => weight(b) - weight(a));
  return (
    <div className="overview">
      {data.counted_since > data.since && (
        <p className="note" data-tone="warn">
          <Icon name="clock" />
          {t.overview.countedSince(f.moment(data.counted_since))}
        </p>
      )}
      <div className="overview-side">
        <AttentionList
          tasks={data.attention}
          total={data.lifecycles.reduce((sum, one) => sum + one.attention, 0)}
        />
        <InboxCard />
        <Workers workers={data.workers} />
        <Timers sweep={data.sweep} />
      </div>
      <div className="overview-main">
        <DemoCard empty={lifecycles.every((one) => weight(one) === 0)} />
        {lifecycles.length === 0 && <EmptyState title={t.overview.noLifecycles} />}
        {lifecycles.map((figures) => (
          <LifecycleCard key={figures.name} figures={figures} overview={data} />
        ))}
      </div>
    </div>
  );
}

function weight({ open, created, finished }: Figures["lifecycles"][number]): number {
  const moved = [...created, ...finished].reduce((sum, n) => sum + n, 0);
  return (open > 0 ? 2 : 0) + (moved > 0 ? 1 : 0);
}

function Timers({ sweep }: { sweep: Figures["sweep"] }) {
  const { t, f } = useI18n();
  const late = sweep.lag_seconds > 120;
  return (
    <section className="card">
      <header className="head">
        <h2>{t.overview.sweep}</h2>
      </header>
      <div className="body row" data-tone={late ? "warn" : "good"}>
        <span className="timer-glyph">
          <Icon name={late ? "alert" : "clock"} />
        </span>
        {sweep.due === 0 ? (
          t.overview.sweepFine
        ) : (
          <Link href={addresses.tasksBy({ attention: "1", sort: "due", order: "asc" })}>
            {t.overview.sweepDue(sweep.due)}, {t.overview.sweepLag(f.span(sweep.lag_seconds))}
          </Link>
        )}
      </div>
    </section>
  );
}

function Loading() {
  return (
    <div className="overview">
      <div className="overview-side">
        <div className="card body">
          <Skeleton lines={5} />
        </div>
      </div>
      <div className="overview-main">
        {[1, 2].map((one) => (
          <div key={one} className="card body">
            <Skeleton lines={6} height={20} />
          </div>
        ))}
      </div>
    </div>
  );
}
