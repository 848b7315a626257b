/** Timeout for a test that waits for a condition. It only ends waits for something that never comes, so a busy machine does not reach it. */
export const WAIT_LIMIT_MS = 180_000;
