import { count } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const MOST_MB = 300;

/** Very many tasks go through one process: does it keep anything of them? */
export async function memory(stage: Stage): Promise<Report> {
  const total = stage.quick ? 20_000 : 1_000_000;
  const part = total / 10;
  const { contestant } = await stage.enterPawl();
  const rows: { passed: number; rate: number; heap: number; rss: number }[] = [];
  for (let passed = part; passed <= total; passed += part) {
    const { seconds, figures } = await contestant.do("passThrough", { tasks: part });
    rows.push({
      passed,
      rate: part / seconds,
      heap: (figures?.heap ?? 0) / 1e6,
      rss: (figures?.rss ?? 0) / 1e6,
    });
    stage.tell(`${count(passed)} of ${count(total)} tasks`);
  }
  const most = Math.max(...rows.map(({ heap }) => heap));
  return {
    title: `Memory while ${count(total)} tasks pass through`,
    table: [
      ["tasks so far", "tasks/s", "largest heap", "process"],
      ...rows.map(({ passed, rate, heap, rss }) => [
        count(passed),
        count(rate),
        `${count(heap)} MB`,
        `${count(rss)} MB`,
      ]),
    ],
    aims: [{ text: `The heap stays under ${MOST_MB} MB`, figure: `${count(most)} MB`, met: most < MOST_MB }],
    notes: ["Each is created, claimed and completed by one process."],
  };
}
