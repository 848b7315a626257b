/** Where a bot or a worker says what it does; pino's shape. */
export type Log = Record<"debug" | "info" | "warn" | "error", (about: object, message: string) => void>;

/** What may be written down of an error: addresses of the Bot API hold the bot's token. */
export function tellable(error: unknown): { error: string } {
  const { name = "Error", message = String(error) } = (error ?? {}) as Partial<Error>;
  return { error: `${name}: ${message}`.replaceAll(/\d{3,}:[\w-]{20,}/g, "(token)").slice(0, 500) };
}
