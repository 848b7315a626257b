export type Formats = ReturnType<typeof formatsIn>;

const SPANS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats numbers, times and durations for a language. */
export function formatsIn(language: string) {
  const number = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const unit = (name: string, digits = 0) =>
    new Intl.NumberFormat(language, {
      style: "unit",
      unit: name,
      unitDisplay: "narrow",
      maximumFractionDigits: digits,
    });
  const units = Object.fromEntries(SPANS.map(([name]) => [name, unit(name)])) as Record<
    string,
    Intl.NumberFormat
  >;
  const fraction = unit("second", 1);

  /** The two largest units of a duration: `2d 4h`. */
  const span = (seconds: number): string => {
    const whole = Math.max(0, seconds);
    if (whole < 1) return fraction.format(Math.round(whole * 10) / 10);
    const first = SPANS.findIndex(([, size]) => whole >= size);
    const [name, size] = SPANS[first] ?? SPANS[3];
    const rest = SPANS[first + 1];
    const large = (units[name] as Intl.NumberFormat).format(Math.floor(whole / size));
    const left = rest ? Math.floor((whole % size) / rest[1]) : 0;
    return rest && left > 0 ? `${large} ${(units[rest[0]] as Intl.NumberFormat).format(left)}` : large;
  };

  return {
    number: (value: number) => number.format(value),
    short: (value: number) => short.format(value),
    time: (moment: string | number) => time.format(new Date(moment)),
    moment: (moment: string | number) => day.format(new Date(moment)),
    /** A time range; parts that both ends share are written once. */
    between: (from: string | number, to: string | number) => day.formatRange(new Date(from), new Date(to)),
    span,
    /** `3 min ago`. Clocks differ: a past time is never shown as future. */
    ago: (moment: string | number, now: number) => {
      const seconds = Math.min(0, (new Date(moment).getTime() - now) / 1_000);
      const [name, size] = SPANS.find(([, one]) => Math.abs(seconds) >= one) ?? SPANS[3];
      return relative.format(Math.round(seconds / size), name);
    },
  };
}
