/** Removes undefined fields, which the engine's types do not allow. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) given[key] = value as unknown;
  return given as { [K in keyof T]: Exclude<T[K], undefined> };
}
