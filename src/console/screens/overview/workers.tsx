import { addresses } from "../../addresses.ts";
import type { Overview } from "../../data/client.ts";
import { useNow } from "../../design/clock.ts";
import { Avatar } from "../../design/person.tsx";
import { Link } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

const MAX_SHOWN = 12;

/** Members that hold leases or tasks, and when they were last active. */
export function Workers({ workers }: { workers: Overview["workers"] }) {
  const { t, f } = useI18n();
  const now = useNow(5);
  return (
    <section className="card">
      <header className="head">
        <h2>{t.overview.workers}</h2>
        {workers.length > 0 && <span className="badge">{f.number(workers.length)}</span>}
      </header>
      {workers.length === 0 ? (
        <p className="body faint">{t.overview.workersEmpty}</p>
      ) : (
        <ul className="workers">
          {workers.slice(0, MAX_SHOWN).map((worker) => (
            <li key={worker.member_id}>
              <Avatar id={worker.member_id} name={worker.name} />
              <div className="stack">
                <span className="row spread">
                  <Link className="cut" href={addresses.tasksBy({ owner: worker.member_id })}>
                    <b>{worker.name}</b>
                  </Link>
                  <span className="faint small num">
                    {t.overview.holds(Math.max(worker.tasks, worker.leases))}
                  </span>
                </span>
                <span className="row spread small faint">
                  <span>
                    {worker.heartbeat_at
                      ? t.overview.heartbeat(f.ago(worker.heartbeat_at, now))
                      : worker.last_act_at && t.overview.lastAct(f.ago(worker.last_act_at, now))}
                  </span>
                  {worker.lease_until && <Lease until={worker.lease_until} now={now} />}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Lease({ until, now }: { until: string; now: number }) {
  const { t, f } = useI18n();
  const left = (Date.parse(until) - now) / 1_000;
  if (left <= 0) return <span className="bad">{t.overview.leaseOver}</span>;
  return <span className="num">{t.overview.leaseEnds(f.span(left))}</span>;
}
