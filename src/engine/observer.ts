import type { Swept } from "./sweep.ts";

/** One batch that has been settled: what was asked for, and what came of each. */
export type Settled = {
  verb: "create" | "perform" | "claim";
  items: readonly unknown[];
  answers: readonly unknown[];
  ms: number;
};

/** Is told what the engine has done, for figures; what it does with that must be quick, and must not throw. */
export type EngineObserver = {
  settled?(batch: Settled): void;
  swept?(sweep: Swept & { ms: number }): void;
};

/** Tells of a batch once it is settled. */
export async function observed<Answer>(
  observer: EngineObserver | undefined,
  { verb, items }: Pick<Settled, "verb" | "items">,
  settling: Promise<Answer[]>,
): Promise<Answer[]> {
  if (!observer?.settled) return settling;
  const begun = performance.now();
  const answers = await settling;
  observer.settled({ verb, items, answers, ms: performance.now() - begun });
  return answers;
}
