const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tells whether a text is a UUID, in capitals or not. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
