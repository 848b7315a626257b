import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { startCommitHints } from "../../src/engine/commit-hints.ts";
import { Commits } from "../../src/engine/commits.ts";
import { connect } from "../../src/postgres/connect.ts";
import { COMMITS_CHANNEL } from "../../src/engine/sql/tell-commits.ts";
import { openDesk } from "./desk.ts";

const { url } = await openDesk();

test("however much is committed, an org is announced once in 20 milliseconds", async () => {
  const [sender, ear] = [connect(url, { maxConnections: 1 }), connect(url, { maxConnections: 1 })];
  const heard: string[] = [];
  const arrivals = new EventEmitter();
  await ear.listen(COMMITS_CHANNEL, (told) => {
    heard.push(told);
    arrivals.emit(told);
  });
  await sender`select`;
  const commits = new Commits();
  const hints = startCommitHints(commits, sender);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(async () => {
    vi.useRealTimers();
    await hints.stop();
    await Promise.all([sender, ear].map((sql) => sql.end({ timeout: 1 })));
  });
  const commitOften = () => {
    for (let n = 0; n < 100; n++) commits.tell("busy");
  };
  /** Waits for everything sent so far: the sender has one connection, and notifications keep their order. */
  const arrive = async () => {
    const marker = `marker ${crypto.randomUUID()}`;
    // Not `expect.poll`: it advances fake timers.
    const arrived = once(arrivals, marker);
    await sender.notify(COMMITS_CHANNEL, marker);
    await arrived;
    // The sender starts its timer in microtasks after its statement.
    await setImmediate();
    return heard.filter((told) => !told.startsWith("marker")).length;
  };
  commitOften();
  expect(await arrive(), "the first is sent at once").toBe(1);
  for (let round = 1; round <= 3; round++) {
    commitOften();
    vi.advanceTimersByTime(19);
    expect(await arrive(), "the others wait").toBe(round);
    vi.advanceTimersByTime(1);
    expect(await arrive(), "and are sent together").toBe(round + 1);
  }
  const told = heard.filter((one) => !one.startsWith("marker"));
  expect(told.map((one) => (JSON.parse(one) as { org_id: string }).org_id)).toEqual(told.map(() => "busy"));
});
