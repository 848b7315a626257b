/** Timeout of waits in tests. Long, so that even on a busy machine only a condition that never becomes true reaches it. */
export const WAIT_LIMIT_MS = 180_000;
