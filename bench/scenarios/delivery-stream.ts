import { count, median, times } from "../report.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const MAX_MB = 200;
const MIN_RATIO = 0.5;
const MB = 1024 * 1024;

/** Sends a large file from storage to a chat: memory of the worker, and its speed compared with a plain copy. */
export async function deliveryStream(env: Environment): Promise<Report> {
  const [bytes, rounds] = env.quick ? [128 * MB, 2] : [2_048 * MB, 3];
  const started = await env.start("delivery server");
  if ("missing" in started) throw new Error(started.missing);
  const server = started.child;
  env.log(`generating ${count(bytes / MB)} MB`);
  const { figures: ports = {} } = await server.run("open", { bytes });
  const [worker, copier] = [env.startFileSender(), env.startFileSender()];
  await worker.run("work", ports);
  const rates: Record<"worker" | "copy", number[]> = { worker: [], copy: [] };
  let complete = true;
  for (let round = 0; round < rounds; round++) {
    env.log(`round ${round + 1} of ${rounds}`);
    const copied = await copier.run("copy", { ...ports, bytes, chat: round });
    const { figures: arrived } = await server.run("received", { chat: round });
    const delivered = await server.run("deliver", { round, bytes });
    rates.copy.push(copied.done / copied.seconds / MB);
    rates.worker.push(delivered.done / delivered.seconds / MB);
    complete &&=
      arrived?.complete === 1 && delivered.figures?.complete === 1 && delivered.figures.documents === 1;
  }
  const rss = ((await worker.run("measureMemory", {})).figures?.rss ?? 0) / 1e6;
  const copierRss = ((await copier.run("measureMemory", {})).figures?.rss ?? 0) / 1e6;
  const ratio = median(rates.worker) / median(rates.copy);
  return {
    title: `A file of ${count(bytes / MB)} MB from storage to a chat`,
    table: [
      ["", "MB/s", "lowest", "highest", "peak memory"],
      ...(["worker", "copy"] as const).map((who) => [
        who === "worker" ? "delivery worker" : "plain stream copy",
        count(median(rates[who])),
        count(Math.min(...rates[who])),
        count(Math.max(...rates[who])),
        `${count(who === "worker" ? rss : copierRss)} MB`,
      ]),
    ],
    aims: [
      { text: `The worker stays under ${MAX_MB} MB`, figure: `${count(rss)} MB`, met: rss < MAX_MB },
      {
        text: `The worker ≥ ${MIN_RATIO} × a plain stream copy`,
        figure: times(ratio),
        met: ratio >= MIN_RATIO,
      },
      {
        text: "Every file arrives complete (by its hash) and once",
        figure: complete ? "yes" : "no",
        met: complete,
      },
    ],
    notes: [
      "Storage, Telegram and the Pawl server share one process, which generates and hashes all bytes and limits both.",
      "The worker also hashes the bytes, holds a lease, reports its progress, and sends the last bytes only after the check.",
    ],
  };
}
