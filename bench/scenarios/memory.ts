import { count } from "../report.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const MAX_MB = 300;

/** Processes a million tasks in one process: does its memory grow? */
export async function memory(env: Environment): Promise<Report> {
  const total = env.quick ? 20_000 : 1_000_000;
  const part = total / 10;
  const { child } = await env.startPawl();
  const rows: { passed: number; rate: number; heap: number; rss: number }[] = [];
  for (let passed = part; passed <= total; passed += part) {
    const { seconds, figures } = await child.run("passThrough", { tasks: part });
    rows.push({
      passed,
      rate: part / seconds,
      heap: (figures?.heap ?? 0) / 1e6,
      rss: (figures?.rss ?? 0) / 1e6,
    });
    env.log(`${count(passed)} of ${count(total)} tasks`);
  }
  const peak = Math.max(...rows.map(({ heap }) => heap));
  return {
    title: `Memory while ${count(total)} tasks are processed`,
    table: [
      ["tasks so far", "tasks/s", "peak heap", "process"],
      ...rows.map(({ passed, rate, heap, rss }) => [
        count(passed),
        count(rate),
        `${count(heap)} MB`,
        `${count(rss)} MB`,
      ]),
    ],
    aims: [{ text: `The heap stays under ${MAX_MB} MB`, figure: `${count(peak)} MB`, met: peak < MAX_MB }],
    notes: ["One process creates, claims and completes all tasks."],
  };
}
