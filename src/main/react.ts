"use client";
// `pawl/react`: the hooks for every lifecycle, and those for chats that the bot-actions specification names.
export * from "../react/index.ts";
export * from "../lifecycles/bot-actions/react/index.ts";
