import { useLiveQuery, useTexts } from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { delivery, LOOK_EVERY_MS } from "./delivery-calls.ts";
import { Progress } from "./job-row.tsx";
import { TEXTS } from "./texts.ts";
import "./delivery.css";

/** How far a file is, on its job's page, while it is on its way. */
export default function JobPanel({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  const inHand = task.lease !== null;
  const { data } = useLiveQuery({
    lifecycle: task.lifecycle,
    key: ["job", task.id],
    ask: (signal) => delivery.getDeliveryJob({ id: task.id }, { signal }),
    everyMs: inHand ? LOOK_EVERY_MS : false,
    enabled: inHand,
  });
  if (!inHand || !data) return null;
  return (
    <section className="card">
      <header className="head">
        <h2>{texts.inHand}</h2>
      </header>
      <div className="body">
        <Progress job={data} />
      </div>
    </section>
  );
}
