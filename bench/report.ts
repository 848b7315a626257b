/** An aim and the figure measured for it. */
export type Aim = {
  text: string;
  figure: string;
  /** null if it could not be measured. */
  met: boolean | null;
  /** Absent if the aim has no floor. */
  aboveFloor?: boolean;
};

type Verdict = "met" | "missed" | "below the floor" | "not measured";

export function verdictOn({ met, aboveFloor = true }: Aim): Verdict {
  if (met === null) return "not measured";
  if (met) return "met";
  return aboveFloor ? "missed" : "below the floor";
}

/** The results of a scenario. */
export type Report = {
  title: string;
  /** The first row names the columns. */
  table: string[][];
  aims: Aim[];
  notes: string[];
  /** Set if the scenario ended with an error. */
  failed?: true;
};

export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low = 0, high = low] = [
    sorted[Math.ceil(sorted.length / 2) - 1],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}

/** "callers 4, batch 300" */
export function formatMode(mode: Readonly<Record<string, number>>): string {
  return Object.entries(mode)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** Returns the value that this part of the values is below; 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
