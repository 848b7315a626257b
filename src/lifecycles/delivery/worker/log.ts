/** The log of a bot or a worker; a subset of pino's interface. */
export type Log = Record<"debug" | "info" | "warn" | "error", (about: object, message: string) => void>;

/** Describes an error for the log, without the bot's token, which URLs of the Bot API contain. */
export function redactedError(error: unknown): { error: string } {
  const { name = "Error", message = String(error) } = (error ?? {}) as Partial<Error>;
  return { error: `${name}: ${message}`.replaceAll(/\d{3,}:[\w-]{20,}/g, "(token)").slice(0, 500) };
}
