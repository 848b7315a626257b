import { firstUnits } from "../../../core/index.ts";
import type { DeliveryFile, DeliveryJob, DeliveryUser } from "../api.ts";
import { makeNonce, writeWish } from "./buttons.ts";
import type { Wish } from "./buttons.ts";
import { LANGUAGES, tellAge, tellMoment, tellSize } from "./texts.ts";
import type { Language, Texts } from "./texts.ts";

export const PER_PAGE = 8;
/** Three tries in all, as the lifecycle has it. */
const TRIES = 3;
const LONGEST_BUTTON = 60;
const LONGEST_TEXT = 4_000;

type Button = { text: string; callback_data: string };
/** A message with its buttons. */
export type Screen = { text: string; buttons: Button[][] };

/** What the bot shows, made of what the server told; only names and sizes of what is stored come through here. */
export class Screens {
  readonly texts: Texts;
  private readonly language: Language;

  constructor(language: Language) {
    this.language = language;
    this.texts = LANGUAGES[language];
  }

  said(text: string, buttons: Button[][] = []): Screen {
    return { text: text.length > LONGEST_TEXT ? `${firstUnits(text, LONGEST_TEXT)}…` : text, buttons };
  }

  folder(folder: DeliveryFile | null, files: readonly DeliveryFile[], page: number, total: number): Screen {
    const { texts } = this;
    const folder_id = folder?.id ?? null;
    const turn = [
      ...(page > 0 ? [button(texts.earlier, { kind: "open", folder_id, page: page - 1 })] : []),
      ...((page + 1) * PER_PAGE < total
        ? [button(texts.later, { kind: "open", folder_id, page: page + 1 })]
        : []),
    ];
    const up = folder && [button(texts.back, { kind: "open", folder_id: folder.folder_id, page: 0 })];
    const title = `📁 ${folder?.name ?? texts.library}`;
    const pages = Math.ceil(total / PER_PAGE);
    const where = pages > 1 ? ` · ${page + 1}/${pages}` : "";
    return this.said(total === 0 ? `${title}\n${texts.emptyFolder}` : title + where, [
      ...files.map((file) => [this.entry(file, page)]),
      ...(turn.length > 0 ? [turn] : []),
      ...(up ? [up] : []),
    ]);
  }

  found(query: string, files: readonly DeliveryFile[], total: number): Screen {
    const { texts } = this;
    if (total === 0) return this.said(texts.nothingFound(query));
    const more = total > files.length ? `\n${texts.foundMore(total)}` : "";
    return this.said(
      texts.found(query, total) + more,
      files.map((file) => [this.entry(file, 0)]),
    );
  }

  /** A file with a button that is good for one tap. */
  file(file: DeliveryFile, page: number): Screen {
    const { texts } = this;
    const size = file.size === null ? null : tellSize(texts, this.language, file.size);
    return this.said(texts.file(file.name, size), [
      [this.downloadButton(texts.download, file, page)],
      [this.backButton(file, page)],
    ]);
  }

  /** The same after a tap: its button is a new one. */
  queued(file: DeliveryFile, page: number): Screen {
    const { texts } = this;
    return this.said(texts.queued(file.name), [
      [this.downloadButton(texts.downloadAgain, file, page)],
      [button(texts.myJobs, { kind: "jobs" })],
      [this.backButton(file, page)],
    ]);
  }

  jobs(jobs: readonly DeliveryJob[], now: number): Screen {
    const { texts } = this;
    if (jobs.length === 0) return this.said(texts.noJobs);
    const lines = jobs.map((job) => `• ${job.title}: ${this.stateOf(job, now)}`);
    const open = jobs.filter(({ status }) => status === "QUEUED");
    return this.said([texts.jobs, ...lines].join("\n"), [
      ...open.map((job) => [button(texts.cancel(job.title), { kind: "cancel", job_id: job.id })]),
      [button(texts.refresh, { kind: "jobs" })],
    ]);
  }

  private stateOf(job: DeliveryJob, now: number): string {
    const { texts } = this;
    const { status, stuck, heartbeat_at, progress, last_error, attempt } = job;
    if (stuck && heartbeat_at !== null) return texts.stuck(tellAge(texts, now - Date.parse(heartbeat_at)));
    if (status === "QUEUED" && attempt > 0)
      return `${texts.status.QUEUED}, ${texts.retry(attempt + 1, TRIES)}`;
    if (status === "FAILED" && last_error) return `${texts.status.FAILED}: ${this.reason(last_error.code)}`;
    if (status === "STREAMING" && progress?.total_bytes)
      return `${texts.status.STREAMING}, ${texts.percent(Math.floor((progress.bytes / progress.total_bytes) * 100))}`;
    return texts.status[status];
  }

  /** What went wrong, in plain words. */
  reason(code: string | null): string {
    return this.texts.reasons[code ?? ""] ?? this.texts.reasons.UNKNOWN ?? "";
  }

  expired(): Screen {
    return this.said(this.texts.expired, [[button(this.texts.askAgain, { kind: "ask_again" })]]);
  }

  /** Of somebody, for an admin. */
  decision(text: string, user_id: string, kinds: readonly ("approve" | "extend" | "block")[]): Screen {
    return this.said(text, [
      kinds.map((kind) => button(this.texts[kind], { kind, user_id, nonce: makeNonce() })),
    ]);
  }

  user(user: DeliveryUser): string {
    const until = user.access_until === null ? null : this.moment(user.access_until);
    return this.texts.user(user.name, user.id, this.texts.userStatus[user.status], until);
  }

  moment(moment: number | string): string {
    return tellMoment(this.language, moment);
  }

  private entry(file: DeliveryFile, page: number): Button {
    if (file.kind === "folder")
      return button(`📁 ${file.name}`, { kind: "open", folder_id: file.id, page: 0 });
    const size = file.size === null ? "" : ` · ${tellSize(this.texts, this.language, file.size)}`;
    const name = cut(file.name, LONGEST_BUTTON - size.length - 3);
    return button(`📄 ${name}${size}`, { kind: "show", file_id: file.id, page });
  }

  private downloadButton(text: string, { id }: DeliveryFile, page: number): Button {
    return button(text, { kind: "download", file_id: id, nonce: makeNonce(), page });
  }

  private backButton({ folder_id }: DeliveryFile, page: number): Button {
    return button(this.texts.back, { kind: "open", folder_id, page });
  }
}

function button(text: string, wish: Wish): Button {
  return { text: cut(text, LONGEST_BUTTON), callback_data: writeWish(wish) };
}

/** Letters are not torn in two. */
function cut(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
