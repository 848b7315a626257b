import { defineConfig } from "vitest/config";
import { WAIT_LIMIT_MS } from "./test/support/wait-limit.ts";

// A test may wait for several conditions in turn. A long timeout costs nothing while tests pass.
const TEST_TIMEOUT_MS = 5 * WAIT_LIMIT_MS;

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // One embedded PostgreSQL for the whole run; each test file makes its own databases on it.
    globalSetup: ["test/support/postgres-setup.ts"],
    // Most of a test's time is waiting; left alone, a machine with two cores would run one file at a time.
    maxWorkers: 2,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    teardownTimeout: WAIT_LIMIT_MS,
    expect: { poll: { timeout: WAIT_LIMIT_MS } },
  },
});
