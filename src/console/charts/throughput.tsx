import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { LifecycleFigures, Overview } from "../data/client.ts";
import { useI18n } from "../texts/i18n.tsx";
import { useTheme } from "./use-theme.ts";
import "./charts.css";

const HEIGHT = 132;

/** Chart of created and finished tasks per time bucket. */
export function Throughput({ figures, overview }: { figures: LifecycleFigures; overview: Overview }) {
  const { t, f, language } = useI18n();
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number | null>(null);
  const theme = useTheme();
  const data = seriesOf(figures, overview);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const plot = new uPlot(optionsFor(element, language, setAt), data, element);
    chart.current = plot;
    const watcher = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [theme, language]);
  useEffect(() => {
    chart.current?.setData(data);
  }, [figures]);
  const created = at === null ? sum(figures.created) : (figures.created[at] ?? 0);
  const finished = at === null ? sum(figures.finished) : (figures.finished[at] ?? 0);
  const when = at === null ? null : (data[0][at] ?? 0) * 1_000;
  return (
    <div>
      <div
        ref={container}
        className="throughput"
        role="img"
        aria-label={`${t.overview.throughputOf(figures.name)}: ${f.number(sum(figures.created))} ${t.overview.created}, ${f.number(sum(figures.finished))} ${t.overview.finished}`}
      />
      <div className="legend">
        <span data-tone="blue">
          <i /> {f.number(created)} {t.overview.created}
        </span>
        <span data-tone="good">
          <i /> {f.number(finished)} {t.overview.finished}
        </span>
        <span className="push num">
          {when === null ? t.overview.inWindow[overview.window] : f.moment(when)}
        </span>
      </div>
    </div>
  );
}

function seriesOf(
  figures: LifecycleFigures,
  { since, bucket_seconds }: Overview,
): [number[], number[], number[]] {
  const begin = Date.parse(since) / 1_000;
  return [
    figures.created.map((_, index) => begin + index * bucket_seconds),
    figures.created,
    figures.finished,
  ];
}

/** A canvas cannot use CSS variables, so the colours are read when the chart is created. */
function optionsFor(
  element: HTMLElement,
  language: string,
  onHover: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const line = (name: string): uPlot.Series => ({
    stroke: colour(name),
    width: 1.75,
    fill: `color-mix(in srgb, ${colour(name)} 14%, transparent)`,
    points: { show: false },
    ...(uPlot.paths.spline ? { paths: uPlot.paths.spline() } : {}),
  });
  const axis: uPlot.Axis = {
    stroke: colour("--ink-faint"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const hour = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric" });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { setScale: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 24,
        values: (_, moments, __, ___, step) =>
          moments.map((moment) => (step >= 86_400 ? day : hour).format(moment * 1_000)),
      },
      {
        ...axis,
        size: 34,
        space: 34,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000, 50_000],
      },
    ],
    series: [{}, line("--blue"), line("--good")],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          onHover(cursor.idx ?? null);
        },
      ],
    },
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
