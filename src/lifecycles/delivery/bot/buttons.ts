import { randomBytes } from "node:crypto";

/** What a button asks for. Telegram gives 64 bytes for it. */
export type Wish =
  | { kind: "open"; folder_id: string | null; page: number }
  | { kind: "show"; file_id: string; page: number }
  | { kind: "download"; file_id: string; nonce: string; page: number }
  | { kind: "jobs" }
  | { kind: "cancel"; job_id: string }
  | { kind: "ask_again" }
  | { kind: "approve"; user_id: string; nonce: string }
  | { kind: "extend"; user_id: string; nonce: string }
  | { kind: "block"; user_id: string; nonce: string };

const LETTERS = {
  open: "o",
  show: "f",
  download: "d",
  jobs: "s",
  cancel: "c",
  ask_again: "r",
  approve: "a",
  extend: "e",
  block: "b",
} as const;

/** One tap's own: a button that is drawn anew means a new wish. */
export function makeNonce(): string {
  return randomBytes(8).toString("base64url");
}

export function writeWish(wish: Wish): string {
  const letter = LETTERS[wish.kind];
  switch (wish.kind) {
    case "open":
      return [letter, wish.folder_id ?? "", wish.page].join(":");
    case "show":
      return [letter, wish.file_id, wish.page].join(":");
    case "download":
      return [letter, wish.file_id, wish.nonce, wish.page].join(":");
    case "cancel":
      return [letter, wish.job_id].join(":");
    case "approve":
    case "extend":
    case "block":
      return [letter, wish.user_id, wish.nonce].join(":");
    default:
      return letter;
  }
}

/** null: of no button that we drew. */
export function readWish(data: string): Wish | null {
  const [letter = "", first = "", second = "", third = ""] = data.split(":");
  const found = Object.entries(LETTERS).find(([, known]) => known === letter);
  if (!found) return null;
  const kind = found[0] as Wish["kind"];
  switch (kind) {
    case "open":
      return { kind, folder_id: first === "" ? null : first, page: pageOf(second) };
    case "show":
      return first === "" ? null : { kind, file_id: first, page: pageOf(second) };
    case "download":
      return first === "" || second === ""
        ? null
        : { kind, file_id: first, nonce: second, page: pageOf(third) };
    case "cancel":
      return first === "" ? null : { kind, job_id: first };
    case "approve":
    case "extend":
    case "block":
      return first === "" || second === "" ? null : { kind, user_id: first, nonce: second };
    default:
      return { kind };
  }
}

function pageOf(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}
