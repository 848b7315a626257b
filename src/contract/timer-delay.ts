// A separate file, so that a browser's bundle contains nothing else of the core.
export { MAX_TIMER_DELAY_MS, timerDelay } from "../core/timer-delay.ts";
