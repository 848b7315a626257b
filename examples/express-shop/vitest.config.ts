import { defineConfig } from "vitest/config";

// Each test file starts its own PostgreSQL, which is slow on a busy machine.
export default defineConfig({ test: { testTimeout: 180_000, hookTimeout: 180_000 } });
