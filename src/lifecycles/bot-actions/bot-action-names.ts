// Apart from the schemas: whoever shows bot actions in a browser needs the words, and not the library that checks them.

/** What a bot may be busy with; another text is taken as well, for bots that are newer than this list. */
export const botActionTypes = ["transcribe_audio", "summarize", "generate_image", "process_file"] as const;

export const botActionStatuses = ["processing", "done", "error"] as const;

export type BotActionType = (typeof botActionTypes)[number];
export type BotActionStatus = (typeof botActionStatuses)[number];
