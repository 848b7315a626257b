// In a file of its own: a browser's bundle needs nothing else of the core.
export { MAX_TIMER_DELAY_MS, timerDelay } from "../core/timer-delay.ts";
