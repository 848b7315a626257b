import { count, median, times } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const MOST_MB = 200;
const LEAST_RATIO = 0.5;
const MB = 1024 * 1024;

/** A large file from storage into a chat: how much memory the worker holds, and how fast it is beside a plain copy. */
export async function deliveryStream(stage: Stage): Promise<Report> {
  const [bytes, rounds] = stage.quick ? [128 * MB, 2] : [2_048 * MB, 3];
  const entered = await stage.enter("delivery library");
  if ("missing" in entered) throw new Error(entered.missing);
  const library = entered.contestant;
  stage.tell(`making ${count(bytes / MB)} MB`);
  const { figures: ports = {} } = await library.do("open", { bytes });
  const [worker, copier] = [stage.enterCarrier(), stage.enterCarrier()];
  await worker.do("work", ports);
  const rates: Record<"worker" | "copy", number[]> = { worker: [], copy: [] };
  let whole = true;
  for (let round = 0; round < rounds; round++) {
    stage.tell(`round ${round + 1} of ${rounds}`);
    const copied = await copier.do("copy", { ...ports, bytes, chat: round });
    const { figures: arrived } = await library.do("look", { chat: round });
    const delivered = await library.do("order", { round, bytes });
    rates.copy.push(copied.done / copied.seconds / MB);
    rates.worker.push(delivered.done / delivered.seconds / MB);
    whole &&= arrived?.whole === 1 && delivered.figures?.whole === 1 && delivered.figures.documents === 1;
  }
  const rss = ((await worker.do("weigh", {})).figures?.rss ?? 0) / 1e6;
  const copierRss = ((await copier.do("weigh", {})).figures?.rss ?? 0) / 1e6;
  const ratio = median(rates.worker) / median(rates.copy);
  return {
    title: `A file of ${count(bytes / MB)} MB from storage into a chat`,
    table: [
      ["", "MB/s", "lowest", "highest", "most memory"],
      ...(["worker", "copy"] as const).map((who) => [
        who === "worker" ? "delivery worker" : "plain stream copy",
        count(median(rates[who])),
        count(Math.min(...rates[who])),
        count(Math.max(...rates[who])),
        `${count(who === "worker" ? rss : copierRss)} MB`,
      ]),
    ],
    aims: [
      { text: `The worker stays under ${MOST_MB} MB`, figure: `${count(rss)} MB`, met: rss < MOST_MB },
      {
        text: `The worker ≥ ${LEAST_RATIO} × a plain stream copy`,
        figure: times(ratio),
        met: ratio >= LEAST_RATIO,
      },
      { text: "Every file arrives whole (by its hash), and once", figure: whole ? "yes" : "no", met: whole },
    ],
    notes: [
      "Storage, Telegram and the Pawl server share one process, which makes and hashes all bytes: it is what limits both.",
      "The worker also hashes what passes, holds a lease, tells its progress, and holds back the last bytes until all is checked.",
    ],
  };
}
