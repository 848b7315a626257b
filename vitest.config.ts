import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // One embedded PostgreSQL for the whole run; each test file makes its own databases on it.
    globalSetup: ["test/support/postgres-setup.ts"],
    // Most of a test's time is waiting; left alone, a machine with two cores would run one file at a time.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes when it comes: on a busy machine a second is nothing.
    expect: { poll: { timeout: 25_000 } },
  },
});
