import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // One embedded PostgreSQL for the whole run; each test file makes its own databases on it.
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
