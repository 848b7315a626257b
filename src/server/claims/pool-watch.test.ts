import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Commits } from "../../engine/index.ts";
import { PoolWatch } from "./pool-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NEVER = new AbortController().signal;

function openWatch() {
  const commits = new Commits();
  const watch = new PoolWatch(commits, NEVER);
  const addTasks = (tasks: number, { project_id = "main", available_at = null as number | null } = {}) => {
    commits.notify("org", "here", [{ lifecycle: "code", project_id, available_at, tasks }]);
  };
  /** Starts a waiter; returns the times of its attempts. */
  const startWaiter = (
    waitMs: number,
    options: { project_id?: string; limit?: number; takes?: boolean } = {},
  ) => {
    const waiter = watch.enter("org", { lifecycle: "code", ...options });
    const until = Date.now() + waitMs;
    const attempts: number[] = [];
    const attempt = () => {
      attempts.push(Date.now());
      return Promise.resolve(options.takes === true && attempts.length > 1 ? "a task" : null);
    };
    const over = (async () => {
      for (;;) {
        const task = await waiter.attempt(attempt, (found) => found === null);
        if (task !== null || !(await waiter.waitForHint(until - Date.now(), NEVER))) break;
      }
      waiter.leave();
    })();
    return { attempts, over };
  };
  return { addTasks, startWaiter };
}

test("without hints a waiter polls at most every five seconds, also across consecutive waits", async () => {
  const { startWaiter } = openWatch();
  const attempts: number[] = [];
  for (let round = 0; round < 4; round++) {
    const waiter = startWaiter(30_000);
    await vi.advanceTimersByTimeAsync(30_000);
    await waiter.over;
    attempts.push(...waiter.attempts);
  }
  const gaps = attempts.slice(1).map((at, n) => at - attempts[n]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
  expect(attempts.length).toBeGreaterThan(12);
});

test("a waiter does not poll when its time ends, even if a timer fires early", async () => {
  const { startWaiter } = openWatch();
  const waiter = startWaiter(3_000);
  await vi.advanceTimersByTimeAsync(10);
  vi.setSystemTime(Date.now() - 1);
  await vi.advanceTimersByTimeAsync(3_100);
  await waiter.over;
  expect(waiter.attempts.length).toBe(1);
});

test("each task wakes one waiter, the longest waiting first; a waiter with a limit of two counts for two tasks", async () => {
  const { startWaiter, addTasks } = openWatch();
  const all = [
    startWaiter(30_000),
    startWaiter(30_000, { limit: 2 }),
    startWaiter(30_000),
    startWaiter(30_000),
  ];
  await vi.advanceTimersByTimeAsync(10);
  // None of them claims it, but each woken waiter has tried.
  addTasks(3, { project_id: "main" });
  expect(all.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1]);
  await vi.advanceTimersByTimeAsync(0);
  expect(all.slice(0, 2).map(({ attempts }) => attempts.length)).toEqual([2, 2]);
});

test("a hint that leads to nothing is handed to the next waiter, and to each at most once", async () => {
  const { startWaiter, addTasks } = openWatch();
  const all = [
    startWaiter(30_000),
    startWaiter(30_000),
    startWaiter(30_000, { takes: true }),
    startWaiter(30_000),
  ];
  await vi.advanceTimersByTimeAsync(10);
  addTasks(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(all.map(({ attempts }) => attempts.length)).toEqual([2, 2, 2, 1]);
});

test("a task in another project does not wake a waiter", async () => {
  const { startWaiter, addTasks } = openWatch();
  const [here, there, anywhere] = [
    startWaiter(30_000, { project_id: "here" }),
    startWaiter(30_000, { project_id: "there" }),
    startWaiter(30_000),
  ];
  await vi.advanceTimersByTimeAsync(10);
  addTasks(10, { project_id: "there" });
  await vi.advanceTimersByTimeAsync(10);
  expect([here, there, anywhere].map(({ attempts }) => attempts.length)).toEqual([1, 2, 2]);
});

test("repeated useless hints cause no more attempts than polling, in the long run", async () => {
  const { startWaiter, addTasks } = openWatch();
  const waiter = startWaiter(60_000);
  for (let ms = 0; ms < 60_000; ms += 100) {
    await vi.advanceTimersByTimeAsync(100);
    addTasks(1);
  }
  await waiter.over;
  expect(waiter.attempts.length).toBeLessThanOrEqual(12 + 3);
});

test("a waiter is woken when a task becomes available", async () => {
  const { startWaiter, addTasks } = openWatch();
  addTasks(1, { available_at: Date.now() + 2_000 });
  const waiter = startWaiter(30_000, { takes: true });
  await vi.advanceTimersByTimeAsync(1_900);
  expect(waiter.attempts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(waiter.attempts).toHaveLength(2);
});
