// Separate from the schemas, so that a browser bundle with these names does not contain zod.

/** The known types of actions. Other strings are accepted too, for bots that are newer than this list. */
export const botActionTypes = ["transcribe_audio", "summarize", "generate_image", "process_file"] as const;

export const botActionStatuses = ["processing", "done", "error"] as const;

export type BotActionType = (typeof botActionTypes)[number];
export type BotActionStatus = (typeof botActionStatuses)[number];
