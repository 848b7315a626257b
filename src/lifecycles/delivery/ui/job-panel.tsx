import { useLiveQuery, useTexts } from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { delivery, POLL_INTERVAL_MS } from "./delivery-calls.ts";
import { Progress } from "./job-row.tsx";
import { TEXTS } from "./texts.ts";
import "./delivery.css";

/** Progress of a running job, shown on its page. */
export default function JobPanel({ task }: { task: Task }) {
  const texts = useTexts(TEXTS);
  const isRunning = task.lease !== null;
  const { data } = useLiveQuery({
    lifecycle: task.lifecycle,
    key: ["job", task.id],
    ask: (signal) => delivery.getDeliveryJob({ id: task.id }, { signal }),
    everyMs: isRunning ? POLL_INTERVAL_MS : false,
    enabled: isRunning,
  });
  if (!isRunning || !data) return null;
  return (
    <section className="card">
      <header className="head">
        <h2>{texts.running}</h2>
      </header>
      <div className="body">
        <Progress job={data} />
      </div>
    </section>
  );
}
