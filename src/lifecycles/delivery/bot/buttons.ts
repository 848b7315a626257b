import { randomBytes } from "node:crypto";

/** The action of a button. Telegram limits its encoded form to 64 bytes. */
export type ButtonAction =
  | { kind: "open"; folder_id: string | null; page: number }
  /** A page of search results; the message has the query. */
  | { kind: "found"; page: number }
  | { kind: "show"; file_id: string; page: number }
  | { kind: "download"; file_id: string; nonce: string; page: number }
  | { kind: "jobs" }
  | { kind: "cancel"; job_id: string }
  | { kind: "ask_again" }
  | { kind: "approve"; user_id: string; nonce: string }
  | { kind: "extend"; user_id: string; nonce: string }
  | { kind: "block"; user_id: string; nonce: string };

const CODES = {
  open: "o",
  found: "q",
  show: "f",
  download: "d",
  jobs: "s",
  cancel: "c",
  ask_again: "r",
  approve: "a",
  extend: "e",
  block: "b",
} as const;

/** Returns a nonce for one button; a button that is drawn again gets a new one. */
export function makeNonce(): string {
  return randomBytes(8).toString("base64url");
}

export function encodeAction(action: ButtonAction): string {
  const letter = CODES[action.kind];
  switch (action.kind) {
    case "open":
      return [letter, action.folder_id ?? "", action.page].join(":");
    case "found":
      return [letter, action.page].join(":");
    case "show":
      return [letter, action.file_id, action.page].join(":");
    case "download":
      return [letter, action.file_id, action.nonce, action.page].join(":");
    case "cancel":
      return [letter, action.job_id].join(":");
    case "approve":
    case "extend":
    case "block":
      return [letter, action.user_id, action.nonce].join(":");
    default:
      return letter;
  }
}

/** Decodes the data of a button; null if it is invalid. */
export function decodeAction(data: string): ButtonAction | null {
  const [letter = "", first = "", second = "", third = ""] = data.split(":");
  const found = Object.entries(CODES).find(([, known]) => known === letter);
  if (!found) return null;
  const kind = found[0] as ButtonAction["kind"];
  switch (kind) {
    case "open":
      return { kind, folder_id: first === "" ? null : first, page: pageOf(second) };
    case "found":
      return { kind, page: pageOf(first) };
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
