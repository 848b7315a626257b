import type { MemorySample } from "./record.ts";

/** Shorter runs do not show growth: Node's heap is still being filled. */
const MIN_LIFETIME_MS = 8 * 60_000;
const MAX_GROWTH = 1.15;
/** Noise of the garbage collector. */
const TOLERANCE_MB = 15;

export type MemoryOf = {
  name: string;
  pid: number;
  minutes: number;
  earlyMb: number;
  lateMb: number;
  peakMb: number;
};

/** Returns the memory of each process: its median in the second fifth of its life, and in the last fifth. */
export function memoryOf(samples: readonly MemorySample[]): MemoryOf[] {
  const pids = [...new Set(samples.map(({ pid }) => pid))];
  return pids.map((pid) => {
    const own = samples.filter((sample) => sample.pid === pid);
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) throw new Error("a process without samples");
    const life = last.at - first.at;
    const between = (from: number, to: number) =>
      medianOf(
        own
          .filter(({ at }) => at >= first.at + from * life && at <= first.at + to * life)
          .map(({ rssMb }) => rssMb),
      );
    return {
      name: first.name,
      pid,
      minutes: life / 60_000,
      earlyMb: between(0.2, 0.4),
      lateMb: between(0.8, 1),
      peakMb: Math.max(...own.map(({ rssMb }) => rssMb)),
    };
  });
}

/** Names the processes whose memory has grown. */
export function memoryFindings(samples: readonly MemorySample[]): string[] {
  return memoryOf(samples)
    .filter(({ minutes }) => minutes * 60_000 >= MIN_LIFETIME_MS)
    .filter(({ earlyMb, lateMb }) => lateMb > earlyMb * MAX_GROWTH + TOLERANCE_MB)
    .map(
      ({ name, pid, earlyMb, lateMb }) =>
        `memory of ${name} (${pid}) grew from ${Math.round(earlyMb)} to ${Math.round(lateMb)} MB`,
    );
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
