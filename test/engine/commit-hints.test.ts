import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { startCommitHints } from "../../src/engine/commit-hints.ts";
import { Commits } from "../../src/engine/commits.ts";
import { connect } from "../../src/postgres/connect.ts";
import { COMMITS_CHANNEL } from "../../src/engine/sql/notify-commits.ts";
import { openTestEngine } from "./test-engine.ts";

const { url } = await openTestEngine();

test("an org is announced at most once in 20 milliseconds, however many commits it has", async () => {
  const [sender, listener] = [connect(url, { maxConnections: 1 }), connect(url, { maxConnections: 1 })];
  const received: string[] = [];
  const arrivals = new EventEmitter();
  await listener.listen(COMMITS_CHANNEL, (payload) => {
    received.push(payload);
    arrivals.emit(payload);
  });
  await sender`select`;
  const commits = new Commits();
  const hints = startCommitHints(commits, sender);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(async () => {
    vi.useRealTimers();
    await hints.stop();
    await Promise.all([sender, listener].map((sql) => sql.end({ timeout: 1 })));
  });
  const commitOften = () => {
    for (let n = 0; n < 100; n++) commits.notify("busy");
  };
  /** Counts the hints sent so far, once all have arrived: the sender has one connection, and notifications keep their order. */
  const countHints = async () => {
    const marker = `marker ${crypto.randomUUID()}`;
    // Not `expect.poll`: it advances fake timers.
    const arrived = once(arrivals, marker);
    await sender.notify(COMMITS_CHANNEL, marker);
    await arrived;
    // The sender starts its timer in microtasks after its statement.
    await setImmediate();
    return received.filter((payload) => !payload.startsWith("marker")).length;
  };
  commits.notify("busy", "elsewhere");
  expect(await countHints(), "a commit of another node is not notified again").toBe(0);
  commitOften();
  expect(await countHints(), "the first is sent at once").toBe(1);
  for (let round = 1; round <= 3; round++) {
    commitOften();
    vi.advanceTimersByTime(19);
    expect(await countHints(), "the others wait").toBe(round);
    vi.advanceTimersByTime(1);
    expect(await countHints(), "then they are sent together").toBe(round + 1);
  }
  const hinted = received.filter((one) => !one.startsWith("marker"));
  expect(hinted.map((one) => (JSON.parse(one) as { org_id: string }).org_id)).toEqual(
    hinted.map(() => "busy"),
  );
});
