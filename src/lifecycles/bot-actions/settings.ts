import { z } from "zod";

/** Settings of the watchdog that ends abandoned bot actions. */
export const BOT_ACTION_SETTINGS = {
  botActionMaxProcessingHours: {
    env: "BOT_ACTION_MAX_PROCESSING_HOURS",
    schema: z.number().positive().max(87_600),
    default: 2,
    projectDefault: "max_processing_hours",
    expected: "a number of hours above 0, at most 87600 (ten years)",
    description: "how long a bot action may run without an update; fractions are allowed",
  },
  botActionWatchdogIntervalMinutes: {
    env: "BOT_ACTION_WATCHDOG_INTERVAL_MINUTES",
    schema: z.number().positive().max(10_080),
    default: 30,
    expected: "a number of minutes above 0, at most 10080 (a week)",
    description: "interval at which the watchdog ends actions that ran too long; fractions are allowed",
  },
} as const;
