import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import type { LifecycleFigures, Overview } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Icon } from "../../design/icon.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { TimeInStatus } from "../../charts/time-in-status.tsx";
import { Boundary } from "../../loading/boundary.tsx";
import { lazyComponent } from "../../loading/lazy-component.tsx";
import { Link } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

const Throughput = lazyComponent(async () => ({
  default: (await import("../../charts/throughput.tsx")).Throughput,
}));

/** Figures of a lifecycle: tasks by status, throughput, time in status. */
export function LifecycleCard({ figures, overview }: { figures: LifecycleFigures; overview: Overview }) {
  const { t, f } = useI18n();
  const created = total(figures.created);
  const finished = total(figures.finished);
  const statuses = (isFinal: boolean) => ({
    status: figures.statuses.flatMap(({ status, final }) => (final === isFinal ? [status] : [])).join(","),
  });
  const [open, final] = [statuses(false), statuses(true)];
  const idle = figures.open === 0 && created === 0 && finished === 0;
  return (
    <section className="card lifecycle-card" data-idle={idle}>
      <header className="head">
        <h2>
          <Link href={addresses.board(figures.name)} title={t.overview.openBoard(figures.name)}>
            {figures.name}
          </Link>
        </h2>
        {figures.attention > 0 && (
          <Link
            className="badge"
            data-tone="warn"
            href={addresses.table(figures.name, { attention: "1" })}
            title={t.shell.attention(figures.attention)}
            aria-label={t.shell.attention(figures.attention)}
          >
            <Icon name="alert" /> {f.number(figures.attention)}
          </Link>
        )}
        <span className="push row figures">
          <Figure
            value={f.short(figures.open)}
            label={t.overview.open}
            href={addresses.table(figures.name, open)}
          />
          <Figure
            value={f.short(created)}
            label={t.overview.created}
            href={addresses.table(figures.name, { sort: "created" })}
          />
          <Figure
            value={f.short(finished)}
            label={t.overview.finished}
            href={addresses.table(figures.name, { ...final, sort: "entered" })}
          />
        </span>
      </header>
      {idle ? (
        <p className="body faint">{t.overview.empty}</p>
      ) : (
        <div className="body">
          <StatusBar figures={figures} />
          <div className="charts">
            <figure>
              <figcaption>{t.overview.throughput}</figcaption>
              {created + finished === 0 ? (
                <p className="faint small chart-empty">{t.overview.noThroughput}</p>
              ) : (
                <Boundary around="part" placeholder={<div className="bone chart-bone" />}>
                  <Throughput figures={figures} overview={overview} />
                </Boundary>
              )}
            </figure>
            <figure>
              <figcaption title={t.overview.timeInStatusHint}>{t.overview.timeInStatus}</figcaption>
              <TimeInStatus figures={figures} />
            </figure>
          </div>
        </div>
      )}
    </section>
  );
}

function Figure({ value, label, href }: { value: string; label: string; href: string }) {
  return (
    <Link className="figure" href={href}>
      <b className="num">{value}</b> <span>{label}</span>
    </Link>
  );
}

/** Open tasks by status, each bar as wide as its share; tasks finished within the window are listed beside it. */
function StatusBar({ figures }: { figures: LifecycleFigures }) {
  const { t, f } = useI18n();
  const { data: lifecycle } = useQuery(queries.lifecycle(figures.name));
  const label = useStatusLabel(figures.name);
  const open = figures.statuses.filter(({ tasks }) => tasks !== null && tasks > 0);
  return (
    <div className="stack tight">
      {open.length > 0 && (
        <div className="status-bar" aria-hidden="true">
          {open.map(({ status, tasks }) => (
            <i key={status} data-tone={toneOf(lifecycle, status)} style={{ flexGrow: tasks ?? 0 }} />
          ))}
        </div>
      )}
      <ul className="status-list">
        {figures.statuses
          .filter(({ tasks, entered }) => (tasks ?? entered) > 0)
          .map(({ status, tasks, entered, final }) => (
            <li key={status} data-tone={toneOf(lifecycle, status)} title={status}>
              <Link href={addresses.table(figures.name, { status, sort: "entered" })}>
                <i />
                <span>{label(status)}</span>
                <b className="num">{final ? `+${f.short(entered)}` : f.short(tasks ?? 0)}</b>
                {final && <span className="unseen">{t.overview.finishedInWindow(f.number(entered))}</span>}
              </Link>
            </li>
          ))}
      </ul>
    </div>
  );
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
