/** Timeout for a wait in a test. It is generous, so that only a condition that never comes true reaches it, on a busy machine too. */
export const WAIT_LIMIT_MS = 180_000;
