import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { timed } from "../../contender.ts";
import type { Measurement } from "../../contender.ts";

export type Stopwatch = (name: string, done: number, work: () => Promise<unknown>) => Promise<Measurement>;

/** Times work; with a folder, also writes a CPU profile of just that work there. */
export function stopwatch(folder: string | undefined): Stopwatch {
  let profiles = 0;
  return async (name, done, work) => {
    if (folder === undefined) return timed(done, work);
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    try {
      return await timed(done, work);
    } finally {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}-${++profiles}.cpuprofile`), JSON.stringify(profile));
    }
  };
}
