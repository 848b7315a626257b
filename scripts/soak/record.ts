import type { EventOnWire } from "../../src/api/index.ts";
import type { DeliveryJob } from "../../src/lifecycles/delivery/api.ts";
import type { AcceptedDocument } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import type { InjectedFault } from "../../test/lifecycles/delivery/stand-ins/fault-plan.ts";

/** A tap on a download button; each is for another pair of chat and file. */
export type Tap = {
  at: number;
  user_id: string;
  file_id: string;
  path: string;
  name: string;
  nonce: string;
  size: number;
  sha256: string;
};

/** `about`: the path in the storage, or the chat. */
export type RecordedFault = {
  at: number;
  side: "storage" | "telegram";
  what: string;
  about: string;
  fault: InjectedFault;
};

/** A process that the soak has ended between `at` and `until`; `member`: the actor in journals. */
export type ProcessEnd = { at: number; until: number; member: string; signal: "SIGKILL" | "SIGTERM" };

export type MemorySample = { at: number; name: string; pid: number; rssMb: number };

export type RecordedJob = Pick<
  DeliveryJob,
  "id" | "status" | "user_id" | "file_id" | "request_nonce" | "attempt" | "last_error" | "message_id"
> & { events: Pick<EventOnWire, "action" | "to_status" | "actor_id" | "payload" | "created_at">[] };

/** Everything that happened in a soak, as seen by the simulated Telegram and storage, and by the server's journals. */
export type SoakRecord = {
  seed: number;
  started: number;
  ended: number;
  taps: Tap[];
  jobs: RecordedJob[];
  documents: AcceptedDocument[];
  /** Texts in chats that are not documents. */
  texts: { chat_id: string; text: string }[];
  faults: RecordedFault[];
  ends: ProcessEnd[];
  memory: MemorySample[];
};
