// A worker whose handler misbehaves: node --import tsx difficult-worker.ts <url> <exit|block> <main thread timeout in ms>, with its token in PAWL_TOKEN.
import { createClient } from "../../src/client/index.ts";
import { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startWorker } from "../../src/worker/index.ts";

const [, , url = "", behaviour, mainThreadTimeoutMs] = process.argv;
const BLOCKED_MS = 5_000;

const worker = startWorker({
  client: createClient({ url, token: process.env.PAWL_TOKEN }),
  lifecycle: code,
  mainThreadTimeoutMs: Number(mainThreadTimeoutMs),
  failed: () => null,
  run: async (_, { act }) => {
    await act("start", { payload: { worktree: "/w", branch: "pawl/1" } });
    if (behaviour === "exit") process.exit(7);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
    return { action: "complete", payload: { commit: "abc" } };
  },
  onEvent: ({ kind }) => {
    if (kind === "finished" || kind === "lost") process.exitCode = kind === "finished" ? 1 : 2;
    if (process.exitCode !== undefined) void worker.stop();
  },
});
