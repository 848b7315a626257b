import { truncateText } from "../../../core/index.ts";
import type { DeliveryFile, DeliveryJob, DeliveryUser } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { SOURCE_TOKEN_INVALID } from "../lifecycle.ts";
import { makeNonce, encodeAction } from "./buttons.ts";
import type { ButtonAction } from "./buttons.ts";
import { LANGUAGES, formatAge, formatMoment, formatSize } from "./texts.ts";
import type { Language, Texts } from "./texts.ts";

export const PAGE_SIZE = 8;
/** Same value as in the lifecycle. */
const MAX_ATTEMPTS = 3;
const MAX_BUTTON_LENGTH = 60;
const MAX_LISTED = 10;
const MAX_MESSAGE_LENGTH = 4_000;

type Button = { text: string; callback_data: string };
/** A message with its buttons. */
export type Screen = { text: string; buttons: Button[][] };

/** Parameters of the notice about failed jobs; `title`: one of them. */
export type FailureDigest = { since: number; total: number; codes: Record<string, number>; title: string };
type DeliveryStatus = Awaited<ReturnType<DeliveryCalls["getDeliveryStatus"]>>;
type Found = { files: readonly DeliveryFile[]; total: number; similar: boolean };

/** Builds the bot's messages from the server's answers. They show names and sizes of stored files, but no paths. */
export class Screens {
  readonly texts: Texts;
  private readonly language: Language;

  constructor(language: Language) {
    this.language = language;
    this.texts = LANGUAGES[language];
  }

  message(text: string, buttons: Button[][] = []): Screen {
    return {
      text: text.length > MAX_MESSAGE_LENGTH ? `${truncateText(text, MAX_MESSAGE_LENGTH)}…` : text,
      buttons,
    };
  }

  folder(folder: DeliveryFile | null, files: readonly DeliveryFile[], page: number, total: number): Screen {
    const { texts } = this;
    const folder_id = folder?.id ?? null;
    const pageButtons = [
      ...(page > 0 ? [button(texts.earlier, { kind: "open", folder_id, page: page - 1 })] : []),
      ...((page + 1) * PAGE_SIZE < total
        ? [button(texts.later, { kind: "open", folder_id, page: page + 1 })]
        : []),
    ];
    const up = folder && [button(texts.back, { kind: "open", folder_id: folder.folder_id, page: 0 })];
    const title = `📁 ${folder?.name ?? texts.library}`;
    return this.message(total === 0 ? `${title}\n${texts.emptyFolder}` : title + pageNumber(page, total), [
      ...files.map((file) => [this.entry(file, page)]),
      ...(pageButtons.length > 0 ? [pageButtons] : []),
      ...(up ? [up] : []),
    ]);
  }

  found(query: string, { files, total, similar }: Found, page: number): Screen {
    const { texts } = this;
    if (total === 0) return this.message(texts.nothingFound(query));
    const pageButtons = [
      ...(page > 0 ? [button(texts.earlier, { kind: "found", page: page - 1 })] : []),
      ...((page + 1) * PAGE_SIZE < total ? [button(texts.later, { kind: "found", page: page + 1 })] : []),
    ];
    const title = similar ? texts.foundSimilar(query, total) : texts.found(query, total);
    return this.message(title + pageNumber(page, total), [
      ...files.map((file) => [this.entry(file, 0)]),
      ...(pageButtons.length > 0 ? [pageButtons] : []),
    ]);
  }

  /** Returns the query of a message with search results: a button is too small for it, and the bot has no state. */
  queryIn(text: string): string | null {
    return /^🔎 [«“](.+)[»”]: /su.exec(text)?.[1] ?? null;
  }

  /** A file with a download button for one tap. */
  file(file: DeliveryFile, page: number): Screen {
    const { texts } = this;
    const size = file.size === null ? null : formatSize(texts, this.language, file.size);
    return this.message(texts.file(file.name, size), [
      [this.downloadButton(texts.download, file, page)],
      [this.backButton(file, page)],
    ]);
  }

  /** The same file after a tap, with a new download button. */
  queued(file: DeliveryFile, page: number): Screen {
    const { texts } = this;
    return this.message(texts.queued(file.name), [
      [this.downloadButton(texts.downloadAgain, file, page)],
      [button(texts.myJobs, { kind: "jobs" })],
      [this.backButton(file, page)],
    ]);
  }

  jobs(jobs: readonly DeliveryJob[], now: number): Screen {
    const { texts } = this;
    if (jobs.length === 0) return this.message(texts.noJobs);
    const lines = jobs.map((job) => `• ${job.title}: ${this.stateOf(job, now)}`);
    const open = jobs.filter(({ status }) => status === "QUEUED");
    return this.message([texts.jobs, ...lines].join("\n"), [
      ...open.map((job) => [button(texts.cancel(job.title), { kind: "cancel", job_id: job.id })]),
      [button(texts.refresh, { kind: "jobs" })],
    ]);
  }

  private stateOf(job: DeliveryJob, now: number): string {
    const { texts } = this;
    const { status, stuck, heartbeat_at, progress, last_error, attempt } = job;
    if (stuck && heartbeat_at !== null) return texts.stuck(formatAge(texts, now - Date.parse(heartbeat_at)));
    if (status === "QUEUED" && attempt > 0)
      return `${texts.status.QUEUED}, ${texts.retry(attempt + 1, MAX_ATTEMPTS)}`;
    if (status === "FAILED" && last_error) return `${texts.status.FAILED}: ${this.reason(last_error.code)}`;
    if (status === "STREAMING" && progress?.total_bytes)
      return `${texts.status.STREAMING}, ${texts.percent(Math.floor((progress.bytes / progress.total_bytes) * 100))}`;
    return texts.status[status];
  }

  /** Returns the text for an error code. */
  reason(code: string | null): string {
    return this.texts.reasons[code ?? ""] ?? this.texts.reasons.UNKNOWN ?? "";
  }

  /** Failed jobs of an hour: their number by reason, most frequent first. */
  failureDigest({ since, total, codes, title }: FailureDigest): Screen {
    const { texts } = this;
    const reasons = Object.entries(codes)
      .sort(([, one], [, other]) => other - one)
      .map(([code, jobs]) => `• ${code} × ${jobs}: ${this.reason(code)}`);
    return this.message([texts.failures(total, this.moment(since), title), ...reasons].join("\n"));
  }

  /** The state of the queue, the workers and the storage. */
  stats({ queue, stuck, workers, source, outages }: DeliveryStatus, waiting: number, now: number): Screen {
    const { texts } = this;
    const counts = Object.entries(queue).map(([status, jobs]) => `• ${status}: ${jobs}`);
    const lines = workers
      .slice(0, MAX_LISTED)
      .map(({ id, heartbeat_at }) => texts.worker(id, formatAge(texts, now - Date.parse(heartbeat_at))));
    return this.message(
      [
        texts.stats,
        ...counts,
        texts.stuckJobs(stuck.length),
        texts.waitingUsers(waiting),
        ...(lines.length > 0 ? lines : [texts.noWorkers]),
        ...(source === null && !outages.some(({ side }) => side === "storage") ? [texts.sourceWorks] : []),
        ...outages.map(({ code, reason }) =>
          code === SOURCE_TOKEN_INVALID ? texts.sourceNeedsAdmin(reason) : texts.outage(reason, code),
        ),
      ].join("\n"),
    );
  }

  /** The latest finished jobs of all users, for admins. */
  audit(jobs: readonly DeliveryJob[]): Screen {
    const { texts } = this;
    if (jobs.length === 0) return this.message(texts.noAudit);
    const lines = jobs.map(({ updated_at, user_id, title, status, last_error }) => {
      const code = status === "FAILED" && last_error ? ` (${last_error.code})` : "";
      return `${this.moment(updated_at)} · ${user_id} · ${title}: ${texts.status[status]}${code}`;
    });
    return this.message([texts.audit, ...lines].join("\n"));
  }

  expired(): Screen {
    return this.message(this.texts.expired, [[button(this.texts.askAgain, { kind: "ask_again" })]]);
  }

  /** A text about a user, with buttons for an admin. */
  decision(text: string, user_id: string, kinds: readonly ("approve" | "extend" | "block")[]): Screen {
    return this.message(text, [
      kinds.map((kind) => button(this.texts[kind], { kind, user_id, nonce: makeNonce() })),
    ]);
  }

  user(user: DeliveryUser): string {
    const until = user.access_until === null ? null : this.moment(user.access_until);
    return this.texts.user(user.name, user.id, this.texts.userStatus[user.status], until);
  }

  moment(moment: number | string): string {
    return formatMoment(this.language, moment);
  }

  private entry(file: DeliveryFile, page: number): Button {
    if (file.kind === "folder")
      return button(`📁 ${file.name}`, { kind: "open", folder_id: file.id, page: 0 });
    const size = file.size === null ? "" : ` · ${formatSize(this.texts, this.language, file.size)}`;
    const name = truncate(file.name, MAX_BUTTON_LENGTH - size.length - 3);
    return button(`📄 ${name}${size}`, { kind: "show", file_id: file.id, page });
  }

  private downloadButton(text: string, { id }: DeliveryFile, page: number): Button {
    return button(text, { kind: "download", file_id: id, nonce: makeNonce(), page });
  }

  private backButton({ folder_id }: DeliveryFile, page: number): Button {
    return button(this.texts.back, { kind: "open", folder_id, page });
  }
}

function pageNumber(page: number, total: number): string {
  const pages = Math.ceil(total / PAGE_SIZE);
  return pages > 1 ? ` · ${page + 1}/${pages}` : "";
}

function button(text: string, action: ButtonAction): Button {
  return { text: truncate(text, MAX_BUTTON_LENGTH), callback_data: encodeAction(action) };
}

/** Truncates by code points, so that no surrogate pair is split. */
function truncate(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
