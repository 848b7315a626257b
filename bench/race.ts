import { compare } from "./compare.ts";
import type { Comparison, Entry } from "./compare.ts";
import type { Terms } from "./contender.ts";
import type { Report } from "./report.ts";
import type { ContenderName, Stage } from "./stage.ts";

export type Race = Omit<Comparison, "hero" | "entries"> & {
  bout: string;
  /** How much each does in a bout; fewer for the slow, so that all take about as long. */
  runners: Partial<Record<ContenderName, { work: Terms; modes: readonly Terms[] }>>;
  /** Work that is laid ready, and known to the planner, before the clock runs. */
  filled?: boolean;
};

/** The same work for everybody who can take part, each in a process and a database of its own. */
export async function race(stage: Stage, { bout, runners, filled = false, ...about }: Race): Promise<Report> {
  const entries: Entry[] = [];
  for (const [name, { work, modes }] of Object.entries(runners)) {
    const entered = await stage.enter(name as ContenderName);
    if (!entered) continue;
    const { contestant, url } = entered;
    const sql = filled && name !== "BullMQ" ? stage.connect(url) : null;
    entries.push({
      name,
      modes,
      bout: async (mode) => {
        if (filled) await contestant.do("fill", work);
        if (sql) await sql.unsafe("analyze");
        const fought = await contestant.do(bout, { ...work, ...mode });
        if (filled && fought.done !== work.tasks)
          throw new Error(`${name} did ${fought.done} of ${work.tasks}`);
        return fought;
      },
    });
  }
  return compare(stage, { ...about, hero: "Pawl", entries });
}
