import { defineConfig } from "vitest/config";

// The tests start PostgreSQL, Next.js and a browser, which is slow on a busy machine.
export default defineConfig({ test: { testTimeout: 180_000, hookTimeout: 180_000 } });
