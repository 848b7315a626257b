import { onWire, onWireOrNull } from "../../api/index.ts";
import type { DeliveryFile, DeliveryJob, DeliveryUser, JobStatus } from "./api.ts";
import type { PublicTask, TaskRow } from "../../plugin/index.ts";
import type { FileRow } from "./sql/files.ts";
import type { JobRow } from "./sql/jobs.ts";
import type { UserRow } from "./sql/users.ts";

type Data = {
  user_id: string;
  file_id: string;
  chat_id: string;
  request_nonce: string;
  last_error: { code: string; message: string; retryable: boolean } | null;
  message_id: number | null;
  telegram_file_id: string | null;
};

/** The fields from which the API representation of a job is built. */
type JobFields = Omit<PublicTask, "lease"> & Omit<JobRow, keyof TaskRow>;

/** Converts a row to the API representation of a job. */
export function deliveryJob(row: JobFields): DeliveryJob {
  const { last_error: error, ...data } = row.data as unknown as Data;
  return {
    id: row.id,
    project_id: row.project_id,
    status: row.status as JobStatus,
    title: row.title,
    user_id: data.user_id,
    file_id: data.file_id,
    chat_id: data.chat_id,
    request_nonce: data.request_nonce,
    attempt: row.attempt,
    worker_id: row.holder,
    heartbeat_at: onWireOrNull(row.heartbeat_at),
    stuck: row.stuck,
    progress: progressOf(row),
    last_error: error && { code: error.code, message: error.message, retryable: error.retryable },
    message_id: data.message_id,
    telegram_file_id: data.telegram_file_id,
    available_at: onWireOrNull(row.available_at),
    row_version: row.row_version,
    created_at: onWire(row.created_at),
    updated_at: onWire(row.updated_at),
  };
}

/** Converts a task of a replayed answer: without the progress and heartbeats since then. */
export function replayedJob(task: PublicTask): DeliveryJob {
  const { holder = null, heartbeat_at = null } = task.lease ?? {};
  return deliveryJob({
    ...task,
    holder,
    heartbeat_at,
    stuck: false,
    bytes: null,
    total_bytes: null,
    progress_at: null,
  });
}

/** Ignores progress of an earlier attempt. */
function progressOf({
  status,
  bytes,
  total_bytes,
  progress_at,
  entered_at,
}: JobFields): DeliveryJob["progress"] {
  if (bytes === null || progress_at === null) return null;
  if (status === "QUEUED" || status === "CLAIMED") return null;
  if (status === "DOWNLOADING" && progress_at < entered_at) return null;
  return { bytes, total_bytes, updated_at: onWire(progress_at) };
}

export function deliveryUser(row: UserRow): DeliveryUser {
  return {
    ...row,
    access_until: onWireOrNull(row.access_until),
    requested_at: onWire(row.requested_at),
    created_at: onWire(row.created_at),
  };
}

/** Converts a row to the public representation of a file, without its path. */
export function deliveryFile({ id, parent_id, kind, name, size }: FileRow): DeliveryFile {
  return { id, folder_id: parent_id, kind, name, size };
}
