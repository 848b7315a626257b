import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { timed } from "../../contender.ts";
import type { Bout } from "../../contender.ts";

export type Stopwatch = (name: string, done: number, work: () => Promise<unknown>) => Promise<Bout>;

/** Times work; where a folder is given, also leaves there a CPU profile of each bout, and of nothing but the bout. */
export function stopwatch(folder: string | undefined): Stopwatch {
  let bouts = 0;
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
      writeFileSync(join(folder, `${name}-${++bouts}.cpuprofile`), JSON.stringify(profile));
    }
  };
}
