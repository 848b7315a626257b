import {
  addresses,
  Icon,
  LifecycleHead,
  Link,
  useLiveQuery,
  useMe,
  useNow,
  useTexts,
  useI18n,
  Loaded,
  ListCard,
} from "../../../console/index.ts";
import { delivery, POLL_INTERVAL_MS, managesUsers, useDeliveryUsers } from "./delivery-calls.ts";
import type { Job, Status } from "./delivery-calls.ts";
import { RunningJobRow, FinishedJobRow, QueuedJobRow } from "./job-row.tsx";
import type { RowProps } from "./job-row.tsx";
import { TEXTS } from "./texts.ts";
import "./delivery.css";

const RUNNING = ["CLAIMED", "DOWNLOADING", "STREAMING"] as const;
const FINISHED = ["DELIVERED", "FAILED", "CANCELLED", "EXPIRED"] as const;
const MAX_JOBS = 100;
const RECENT_JOBS = 15;

/** Running, queued and recently finished jobs, and the workers. */
export default function QueueScreen({ lifecycle }: { lifecycle: string }) {
  const status = useLiveQuery({
    lifecycle,
    key: ["status"],
    ask: (signal) => delivery.getDeliveryStatus(undefined, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const open = useLiveQuery({
    lifecycle,
    key: ["open"],
    ask: (signal) =>
      delivery.listDeliveryJobs({ status: [...RUNNING, "QUEUED"], limit: MAX_JOBS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const recent = useLiveQuery({
    lifecycle,
    key: ["over"],
    ask: (signal) => delivery.listDeliveryJobs({ status: [...FINISHED], limit: RECENT_JOBS }, { signal }),
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle} />
      <Loaded of={[status, open, recent]}>
        {({ outages, queue, workers }, unfinished, finished) => (
          <>
            <AdminAlerts lifecycle={lifecycle} outages={outages} />
            <QueueCounts queue={queue} />
            <div className="delivery">
              <Jobs lifecycle={lifecycle} open={unfinished.jobs} over={finished.jobs} />
              <Workers workers={workers} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

/** Warnings for admins: outages and requests for access. */
function AdminAlerts({ lifecycle, outages }: { lifecycle: string; outages: Status["outages"] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const isAdmin = managesUsers(useMe());
  const { data } = useLiveQuery({
    lifecycle,
    key: ["users", "PENDING"],
    ask: (signal) => delivery.listDeliveryUsers({ status: ["PENDING"], limit: MAX_JOBS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
    enabled: isAdmin,
  });
  const pending = data?.users.length ?? 0;
  return (
    <>
      {outages.map(({ side, code, reason, since }) => (
        <p key={side} className="note" data-tone="bad" role="alert">
          <Icon name="alert" />
          <span>
            <b>{code === "SOURCE_TOKEN_INVALID" ? texts.needsAdmin : texts.paused}</b> ({f.moment(since)}):{" "}
            {reason}. {remedyFor(code, texts)}
          </span>
        </p>
      ))}
      {pending > 0 && (
        <p className="note" data-tone="warn">
          <Icon name="members" />
          <span>{texts.pending(pending)}</span>
          <Link className="push" href={`${addresses.screen(lifecycle, "users")}?status=PENDING`}>
            {texts.toUsers}
          </Link>
        </p>
      )}
    </>
  );
}

function remedyFor(code: string, texts: (typeof TEXTS)["en"]): string {
  if (code === "BOT_TOKEN_INVALID") return texts.replaceBotToken;
  return code === "SOURCE_TOKEN_INVALID" ? texts.replaceStorageToken : texts.resumes;
}

function QueueCounts({ queue }: { queue: Status["queue"] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  return (
    <dl className="card depths">
      {(["QUEUED", ...RUNNING] as const).map((status) => (
        <div key={status} data-status={status}>
          <dd className="num">{f.number(queue[status])}</dd>
          <dt>{texts.statuses[status]}</dt>
        </div>
      ))}
    </dl>
  );
}

type JobsProps = { lifecycle: string; open: readonly Job[]; over: readonly Job[] };

function Jobs({ lifecycle, open, over }: JobsProps) {
  const texts = useTexts(TEXTS);
  const { data } = useDeliveryUsers(lifecycle);
  const names = new Map(data?.users.map(({ id, name }) => [id, name]));
  const userName = (id: string) => names.get(id) ?? id;
  const running = open.filter(({ status }) => status !== "QUEUED");
  // Oldest first: it is the next one.
  const waiting = open.filter(({ status }) => status === "QUEUED").toReversed();
  return (
    <div className="stack">
      <JobList
        title={texts.running}
        empty={texts.runningEmpty}
        jobs={running}
        userName={userName}
        Row={RunningJobRow}
      />
      <JobList
        title={texts.waiting}
        empty={texts.waitingEmpty}
        jobs={waiting}
        userName={userName}
        Row={QueuedJobRow}
      />
      <JobList
        title={texts.recent}
        empty={texts.recentEmpty}
        jobs={over}
        userName={userName}
        Row={FinishedJobRow}
      />
    </div>
  );
}

function JobList({
  title,
  empty,
  jobs,
  userName,
  Row,
}: {
  title: string;
  empty: string;
  jobs: readonly Job[];
  userName: RowProps["userName"];
  Row: (props: RowProps) => React.ReactNode;
}) {
  return (
    <section className="card" aria-label={title}>
      <header className="head">
        <h2>{title}</h2>
        {jobs.length > 0 && <span className="badge">{jobs.length}</span>}
      </header>
      {jobs.length === 0 ? (
        <p className="body faint">{empty}</p>
      ) : (
        <ul className="jobs">
          {jobs.map((job) => (
            <li key={job.id} data-job={job.id}>
              <Row job={job} userName={userName} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A worker without a heartbeat for this long is shown as a warning. */
const WORKER_TIMEOUT_MS = 30_000;

function Workers({ workers }: { workers: Status["workers"] }) {
  const { t, f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(1);
  return (
    <ListCard title={texts.workers} count={workers.length} listClass="jobs" empty={texts.workersEmpty}>
      {workers.map(({ id, concurrency, heartbeat_at }) => (
        <li
          key={id}
          className="worker-line"
          data-tone={now - Date.parse(heartbeat_at) > WORKER_TIMEOUT_MS ? "warn" : "good"}
        >
          <i />
          <span className="stack">
            <b className="cut">{id}</b>
            <span className="faint small">
              {texts.slots(concurrency)} · {t.overview.heartbeat(f.ago(heartbeat_at, now))}
            </span>
          </span>
        </li>
      ))}
    </ListCard>
  );
}
