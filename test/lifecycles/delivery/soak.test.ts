import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { checkRecord } from "../../../scripts/soak/check-record.ts";
import { memoryFindings } from "../../../scripts/soak/memory.ts";
import type { MemorySample, RecordedJob, SoakRecord } from "../../../scripts/soak/record.ts";
import { runSoak } from "../../../scripts/soak/run-soak.ts";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { testDatabases } from "../../support/postgres.ts";

const at = (second: number) => Date.UTC(2026, 0, 5, 12, 0, second);
const moment = (second: number) => new Date(at(second)).toISOString();

function event(second: number, action: string, more: Partial<RecordedJob["events"][number]> = {}) {
  return { action, to_status: null, actor_id: null, payload: null, created_at: moment(second), ...more };
}
const claim = (second: number) => event(second, "claim", { actor_id: "w" });
const fail = (second: number, code: string) =>
  event(second, "fail", { actor_id: "w", payload: { error: { code } } });

/** A tap on file `f` in chat 1, with the job that came of it. */
function recordOf(job: Partial<RecordedJob>, more: Partial<SoakRecord> = {}): SoakRecord {
  return {
    seed: 1,
    started: at(0),
    ended: at(59),
    taps: [
      {
        at: at(0),
        user_id: "1",
        file_id: "f",
        path: "disk:/f",
        name: "f.bin",
        nonce: "n",
        size: 9,
        sha256: "s",
      },
    ],
    jobs: [
      {
        ...{ id: "j", status: "DELIVERED", user_id: "1", file_id: "f", request_nonce: "n" },
        ...{ attempt: 0, last_error: null, message_id: 7, events: [claim(1), event(9, "deliver")] },
        ...job,
      },
    ],
    documents: [document()],
    texts: [{ chat_id: "1", text: "❌ f.bin" }],
    faults: [],
    ends: [],
    memory: [],
    ...more,
  };
}

function document(more: Partial<SoakRecord["documents"][number]> = {}): SoakRecord["documents"][number] {
  return { at: at(5), chat_id: "1", message_id: 7, size: 9, sha256: "s", answered: true, ...more };
}
const fault = (second: number, status: number, about = "disk:/f"): SoakRecord["faults"][number] => ({
  ...{ at: at(second), side: "storage", what: "meta", about },
  fault: { kind: "status", status },
});
const lostAnswer: SoakRecord["faults"][number] = {
  ...{ at: at(5), side: "telegram", what: "sendDocument", about: "1", fault: { kind: "lost answer" } },
};
const kill = (second: number, signal: "SIGKILL" | "SIGTERM" = "SIGKILL") => ({
  ...{ at: at(second), until: at(second) + 100, member: "w", signal },
});
const FAILED: Partial<RecordedJob> = {
  status: "FAILED",
  attempt: 1,
  message_id: null,
  last_error: { code: "FILE_NOT_FOUND", message: "", retryable: false },
  events: [claim(1), fail(9, "FILE_NOT_FOUND")],
};
const KILLED: Partial<RecordedJob> = {
  attempt: 1,
  message_id: 8,
  events: [claim(1), event(9, "heartbeat_timeout"), claim(10), event(19, "deliver")],
};
const twice = [document(), document({ at: at(12), message_id: 8 })];
const LOST: Partial<RecordedJob> = {
  attempt: 1,
  message_id: 8,
  events: [claim(1), fail(9, "NETWORK_RESET"), claim(10), event(19, "deliver")],
};

test.each<[string, SoakRecord]>([
  ["a delivered job", recordOf({})],
  [
    "a job that failed with the fault that happened",
    recordOf(FAILED, { documents: [], faults: [fault(3, 404)] }),
  ],
  ["a second document after a kill", recordOf(KILLED, { documents: twice, ends: [kill(6)] })],
  [
    "a second document after a lost answer",
    recordOf(LOST, { documents: [document({ answered: false }), twice[1]!], faults: [lostAnswer] }),
  ],
])("the check accepts %s", (_, record) => {
  expect(checkRecord(record).violations).toEqual([]);
});

test.each<[string, SoakRecord, RegExp]>([
  ["a tap without a job", recordOf({}, { jobs: [], documents: [] }), /0 jobs for one tap/],
  ["two jobs of one tap", recordOf({}, { jobs: [recordOf({}).jobs[0]!, recordOf({}).jobs[0]!] }), /2 jobs/],
  ["a job that nobody asked for", recordOf({}, { taps: [] }), /without a tap/],
  ["an unfinished job", recordOf({ status: "STREAMING", events: [claim(1)] }), /not finished/],
  ["a delivered job without a document", recordOf({}, { documents: [] }), /0 documents/],
  [
    "a document that arrived twice",
    recordOf({}, { documents: [document(), document({ at: at(6) })] }),
    /2 documents/,
  ],
  ["wrong bytes", recordOf({}, { documents: [document({ sha256: "other" })] }), /no tap asked for/],
  ["a wrong size", recordOf({}, { documents: [document({ size: 8 })] }), /8 bytes/],
  ["an invented message", recordOf({ message_id: 99 }), /message 99/],
  ["a reason without a fault", recordOf(FAILED, { documents: [], faults: [] }), /no such fault/],
  [
    "a fault of another file",
    recordOf(FAILED, { documents: [], faults: [fault(3, 404, "disk:/g")] }),
    /no such fault/,
  ],
  [
    "another reason than the fault",
    recordOf(FAILED, { documents: [], faults: [fault(3, 503)] }),
    /no such fault/,
  ],
  ["a fault at another time", recordOf(FAILED, { documents: [], faults: [fault(30, 404)] }), /no such fault/],
  [
    "a failure that its user does not know",
    recordOf(FAILED, { documents: [], faults: [fault(3, 404)], texts: [] }),
    /no notice/,
  ],
  [
    "a failed job that was delivered",
    recordOf(FAILED, { faults: [fault(3, 404)] }),
    /1 documents, 1 answered, in a try that ended in fail/,
  ],
  [
    "a failure with attempts left",
    recordOf(
      {
        ...FAILED,
        last_error: { code: "STORAGE_UNAVAILABLE", message: "", retryable: true },
        events: [claim(1), fail(9, "STORAGE_UNAVAILABLE")],
      },
      { documents: [], faults: [fault(3, 503)] },
    ),
    /although STORAGE_UNAVAILABLE is retryable/,
  ],
  ["a timeout of a live worker", recordOf(KILLED, { documents: twice }), /was not killed/],
  [
    "a timeout after a kill of an earlier time",
    recordOf(KILLED, { documents: twice, ends: [kill(0)] }),
    /was not killed/,
  ],
  [
    "a second document after an answered one",
    recordOf(LOST, { documents: twice, faults: [lostAnswer] }),
    /1 answered/,
  ],
  ["growing memory", recordOf({}, { memory: samples((minute) => 100 + 5 * minute) }), /memory of w/],
])("the check reports %s", (_, record, violation) => {
  expect(checkRecord(record).violations.join("\n")).toMatch(violation);
});

function samples(rssAt: (minute: number) => number): MemorySample[] {
  return Array.from({ length: 31 }, (_, minute) => ({
    ...{ at: at(60 * minute), name: "w", pid: 1, rssMb: rssAt(minute) },
  }));
}

test("memory that goes up and down is flat", () => {
  expect(memoryFindings(samples((minute) => 150 + 20 * (minute % 2)))).toEqual([]);
});

test("a short soak with faults and killed processes passes, and does not pass with one spoiled row", async () => {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const folder = await mkdtemp(join(tmpdir(), "pawl-soak-"));
  onTestFinished(async () => {
    await database.drop();
    await databases.close();
    await rm(folder, { recursive: true, force: true });
  });
  const record = await runSoak({
    ...{ pawl: BUILT_PAWL, minutes: 0.3, jobs: 60, seed: 11, folder, databaseUrl: database.url },
    onProgress: () => undefined,
  });
  const { violations, figures } = checkRecord(record);
  expect(violations).toEqual([]);
  expect(record.ends.filter(({ signal }) => signal === "SIGKILL").length).toBeGreaterThan(0);
  expect(record.faults.length).toBeGreaterThan(10);
  expect((figures.delivered ?? 0) + (figures.failed ?? 0)).toBe(60);
  const acknowledged = new Set(record.jobs.map(({ message_id }) => message_id));
  const spoiled = record.documents.find(({ message_id }) => acknowledged.has(message_id));
  const documents = record.documents.filter((one) => one !== spoiled);
  expect(checkRecord({ ...record, documents }).violations).not.toEqual([]);
});
