import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Tone } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { useTheme } from "./use-theme.ts";
import "./charts.css";

const HEIGHT = 200;
const DAY = 86_400;

/** One line or layer of a chart: a value per bucket. */
type Series = { name: string; tone: Tone; values: readonly number[] };

type SeriesChartProps = {
  label: string;
  series: readonly Series[];
  /** Start of the first bucket, and its length, in seconds. */
  begin: number;
  step: number;
  /** Draws the series as layers, the first one at the bottom. */
  stacked?: boolean;
};

/** Chart of counts per time bucket. The legend shows the values under the pointer, otherwise those of `summary`. */
export function SeriesChart({
  label,
  series,
  begin,
  step,
  stacked = false,
  summary,
}: SeriesChartProps & { summary: (values: readonly number[]) => number }) {
  const { f, language } = useI18n();
  const container = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const theme = useTheme();
  const layers = stacked ? stack(series) : series.map(({ values }) => values);
  const times = (series[0]?.values ?? []).map((_, index) => begin + index * step);
  const shape = JSON.stringify([times[0], layers, series.map(({ tone }) => tone)]);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const drawn = series.map(({ tone }, index) => ({ tone, values: layers[index] ?? [] }));
    // Layers are drawn from the top one down, each over the one above it.
    if (stacked) drawn.reverse();
    const options = optionsFor(element, {
      language,
      stacked,
      tones: drawn.map(({ tone }) => tone),
      onHover: setAt,
    });
    const plot = new uPlot(options, [times, ...drawn.map(({ values }) => [...values])], element);
    const watcher = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [theme, language, stacked, shape]);
  const shown = series.map(({ name, tone, values }) => ({
    name,
    tone,
    value: at === null ? summary(values) : (values[at] ?? 0),
  }));
  const spoken = series.map(({ name, values }) => `${name} ${f.number(summary(values))}`).join(", ");
  return (
    <div>
      <div ref={container} className="series-chart" role="img" aria-label={`${label}: ${spoken}`} />
      <div className="legend">
        {shown.map(({ name, tone, value }) => (
          <span key={name} data-tone={tone}>
            <i /> {f.number(value)} {name}
          </span>
        ))}
        {at !== null && times[at] !== undefined && (
          <span className="push num">{f.moment(times[at] * 1_000)}</span>
        )}
      </div>
    </div>
  );
}

/** Adds up the series from the first one. */
function stack(series: readonly Series[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return sums;
}

/** A canvas cannot use CSS variables, so the colours are read when the chart is created. */
function optionsFor(
  element: HTMLElement,
  {
    language,
    stacked,
    tones,
    onHover,
  }: { language: string; stacked: boolean; tones: readonly Tone[]; onHover: (at: number | null) => void },
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const ground = colour("surface");
  const axis: uPlot.Axis = {
    stroke: colour("ink-faint"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
  };
  const hour = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: !stacked, size: 7 }, drag: { setScale: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 24,
        values: (_, moments, __, ___, gap) =>
          moments.map((moment) => (gap >= DAY ? day : hour).format(moment * 1_000)),
      },
      {
        ...axis,
        size: 44,
        space: 34,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000, 50_000],
      },
    ],
    series: [
      {},
      ...tones.map((tone) => ({
        stroke: colour(tone),
        width: 1.75,
        fill: stacked
          ? `color-mix(in srgb, ${colour(tone)} 45%, ${ground})`
          : `color-mix(in srgb, ${colour(tone)} 14%, transparent)`,
        points: { show: false },
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          onHover(cursor.idx ?? null);
        },
      ],
    },
  };
}
