import { defineConfig } from "vitest/config";

// Each test file starts a PostgreSQL of its own, which takes its time on a busy machine.
export default defineConfig({ test: { testTimeout: 180_000, hookTimeout: 180_000 } });
