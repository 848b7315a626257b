import { useRef } from "react";
import {
  addresses,
  Button,
  Icon,
  Link,
  StatusChip,
  toast,
  useMove,
  useToastOnError,
  useMe,
  useNow,
  useTexts,
  useI18n,
} from "../../../console/index.ts";
import { useBytes } from "./bytes.ts";
import type { Job } from "./delivery-calls.ts";
import { TEXTS } from "./texts.ts";

export type RowProps = { job: Job; userName: (id: string) => string };

/** A running job with its progress, speed and worker. */
export function RunningJobRow({ job, userName }: RowProps) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(1);
  const silentSeconds = job.heartbeat_at === null ? 0 : (now - Date.parse(job.heartbeat_at)) / 1_000;
  return (
    <>
      <div className="row">
        <Title job={job} />
        <StatusChip lifecycle="delivery" status={job.status} />
      </div>
      <Progress job={job} />
      <div className="row wrap small faint">
        {job.worker_id !== null && <span className="mono">{job.worker_id}</span>}
        <span>{userName(job.user_id)}</span>
        {job.attempt > 0 && <span>{texts.attempt(job.attempt + 1)}</span>}
        {job.stuck && (
          <span className="chip" data-tone="bad">
            {texts.stuck}: {texts.stuckFor(f.span(silentSeconds))}
          </span>
        )}
      </div>
    </>
  );
}

/** Progress bar of a job; indeterminate while the size is unknown. */
export function Progress({ job }: { job: Pick<Job, "progress" | "stuck" | "title"> }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const bytes = useBytes();
  const speed = useSpeed(job.progress);
  if (!job.progress) return <div className="bar progress" data-unknown="true" aria-hidden="true" />;
  const { bytes: done, total_bytes: total } = job.progress;
  const share = total === null || total === 0 ? null : Math.min(1, done / total);
  return (
    <div className="row progress-line" data-tone={job.stuck ? "bad" : "accent"}>
      <div
        className="bar progress"
        role="progressbar"
        aria-label={job.title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        data-unknown={share === null}
      >
        <i style={{ transform: `scaleX(${share ?? 1})` }} />
      </div>
      <span className="num small">
        {share !== null && <b>{f.number(Math.floor(share * 100))} % </b>}
        <span className="faint">
          {total === null ? bytes(done) : texts.of(bytes(done), bytes(total))}
          {speed !== null && ` · ${texts.perSecond(bytes(speed))}`}
        </span>
      </span>
    </div>
  );
}

/** Computes the speed from the last two reports. */
function useSpeed(progress: Job["progress"]): number | null {
  const last = useRef<{ at: number; bytes: number; speed: number | null } | null>(null);
  if (!progress) return null;
  const at = Date.parse(progress.updated_at);
  const before = last.current;
  if (before?.at !== at) {
    const seconds = before ? (at - before.at) / 1_000 : 0;
    const speed =
      before && seconds > 0 && progress.bytes >= before.bytes
        ? (progress.bytes - before.bytes) / seconds
        : null;
    last.current = { at, bytes: progress.bytes, speed };
  }
  return last.current?.speed ?? null;
}

/** A queued job. An admin can cancel it here, and its user in the bot. */
export function QueuedJobRow({ job, userName }: RowProps) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(1);
  const mayCancel = useMe().roles.includes("admin");
  const act = useMove(job);
  const [busy, attempt] = useToastOnError();
  const waitSeconds = job.available_at === null ? 0 : (Date.parse(job.available_at) - now) / 1_000;
  const cancel = async () => {
    await act.mutateAsync({ action: "cancel" });
    toast(texts.canceled(job.title));
  };
  return (
    <div className="row">
      <div className="stack tight">
        <Title job={job} />
        <div className="row wrap small faint">
          <span>{userName(job.user_id)}</span>
          <span className="num">{f.ago(job.created_at, now)}</span>
          {job.attempt > 0 && <span>{texts.attempt(job.attempt + 1)}</span>}
          {waitSeconds > 0 && <span className="num">{texts.notBefore(f.span(waitSeconds))}</span>}
        </div>
        <LastError job={job} />
      </div>
      <span className="push" />
      {mayCancel && (
        <Button small disabled={busy} onClick={() => void attempt(cancel)}>
          {texts.cancel}
        </Button>
      )}
    </div>
  );
}

export function FinishedJobRow({ job, userName }: RowProps) {
  const { f } = useI18n();
  const now = useNow(10);
  return (
    <>
      <div className="row">
        <Title job={job} />
        <StatusChip lifecycle="delivery" status={job.status} />
      </div>
      <div className="row wrap small faint">
        <span>{userName(job.user_id)}</span>
        <span className="num" title={f.moment(job.updated_at)}>
          {f.ago(job.updated_at, now)}
        </span>
      </div>
      {job.status === "FAILED" && <LastError job={job} />}
    </>
  );
}

function Title({ job }: { job: Job }) {
  return (
    <Link className="cut job-title" href={addresses.task(job.id)} title={job.title}>
      {job.title}
    </Link>
  );
}

function LastError({ job: { last_error } }: { job: Job }) {
  if (!last_error) return null;
  return (
    <span className="row small job-error" data-tone={last_error.retryable ? "warn" : "bad"}>
      <Icon name="alert" />
      <span>
        <code>{last_error.code}</code> {last_error.message}
      </span>
    </span>
  );
}
