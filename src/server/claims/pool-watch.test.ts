import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Commits } from "../../engine/index.ts";
import { PoolWatch } from "./pool-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NEVER = new AbortController().signal;

function openWatch() {
  const commits = new Commits();
  const watch = new PoolWatch(commits, NEVER);
  const free = (tasks: number, { project_id = "main", available_at = null as number | null } = {}) => {
    commits.tell("org", "here", [{ lifecycle: "code", project_id, available_at, tasks }]);
  };
  /** One who waits in vain; gives the moments of his looks. */
  const waits = (waitMs: number, wanted: { project_id?: string; limit?: number; takes?: boolean } = {}) => {
    const place = watch.enter("org", { lifecycle: "code", ...wanted });
    const until = Date.now() + waitMs;
    const looks: number[] = [];
    const look = () => {
      looks.push(Date.now());
      return Promise.resolve(wanted.takes === true && looks.length > 1 ? "a task" : null);
    };
    const over = (async () => {
      for (;;) {
        const found = await place.look(look, (one) => one === null);
        if (found !== null || !(await place.isWorthALook(until - Date.now(), NEVER))) break;
      }
      place.leave();
    })();
    return { looks, over };
  };
  return { free, waits };
}

test("who is not called looks no more often than once in five seconds, also across the end of one wait", async () => {
  const { waits } = openWatch();
  const looks: number[] = [];
  for (let round = 0; round < 4; round++) {
    const one = waits(30_000);
    await vi.advanceTimersByTimeAsync(30_000);
    await one.over;
    looks.push(...one.looks);
  }
  const gaps = looks.slice(1).map((at, n) => at - looks[n]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
  expect(looks.length).toBeGreaterThan(12);
});

test("nobody looks when his time ends, though a timer may come before its moment", async () => {
  const { waits } = openWatch();
  const one = waits(3_000);
  await vi.advanceTimersByTimeAsync(10);
  vi.setSystemTime(Date.now() - 1);
  await vi.advanceTimersByTimeAsync(3_100);
  await one.over;
  expect(one.looks.length).toBe(1);
});

test("for each task one is called, the longest waiting first; who takes several is called for as many", async () => {
  const { waits, free } = openWatch();
  const all = [waits(30_000), waits(30_000, { limit: 2 }), waits(30_000), waits(30_000)];
  await vi.advanceTimersByTimeAsync(10);
  // Not one of them takes it: but who has been called has looked.
  free(3, { project_id: "main" });
  expect(all.map(({ looks }) => looks.length)).toEqual([1, 1, 1, 1]);
  await vi.advanceTimersByTimeAsync(0);
  expect(all.slice(0, 2).map(({ looks }) => looks.length)).toEqual([2, 2]);
});

test("what was not for the one who was called is for the next, and for each no more than once", async () => {
  const { waits, free } = openWatch();
  const all = [waits(30_000), waits(30_000), waits(30_000, { takes: true }), waits(30_000)];
  await vi.advanceTimersByTimeAsync(10);
  free(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(all.map(({ looks }) => looks.length)).toEqual([2, 2, 2, 1]);
});

test("nobody is called for what lies in a project that he does not look into", async () => {
  const { waits, free } = openWatch();
  const [here, there, anywhere] = [
    waits(30_000, { project_id: "here" }),
    waits(30_000, { project_id: "there" }),
    waits(30_000),
  ];
  await vi.advanceTimersByTimeAsync(10);
  free(10, { project_id: "there" });
  await vi.advanceTimersByTimeAsync(10);
  expect([here, there, anywhere].map(({ looks }) => looks.length)).toEqual([1, 2, 2]);
});

test("who is called again and again in vain looks no more often than who is not, in the long run", async () => {
  const { waits, free } = openWatch();
  const one = waits(60_000);
  for (let ms = 0; ms < 60_000; ms += 100) {
    await vi.advanceTimersByTimeAsync(100);
    free(1);
  }
  await one.over;
  expect(one.looks.length).toBeLessThanOrEqual(12 + 3);
});

test("one is called when the time of a task has come", async () => {
  const { waits, free } = openWatch();
  free(1, { available_at: Date.now() + 2_000 });
  const one = waits(30_000, { takes: true });
  await vi.advanceTimersByTimeAsync(1_900);
  expect(one.looks).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(one.looks).toHaveLength(2);
});
