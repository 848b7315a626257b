import { didYouMean, overlongSettings, refuse } from "../../core/index.ts";
import type { JsonObject, Lifecycle, Refusal } from "../../core/index.ts";

type Mistake = { path: string; message: string };

const MAX_DEPTH = 20;

/**
 * Merges a change into a project's settings: given fields replace the stored ones, null restores the default. The result is
 * validated by each lifecycle's schema, but stored without defaults, so that a new version can change them.
 */
export function changedSettings(
  lifecycles: ReadonlyMap<string, Lifecycle>,
  stored: JsonObject,
  change: JsonObject,
): { kind: "changed"; settings: JsonObject } | Refusal {
  const settings = { ...stored };
  const mistakes: Mistake[] = [];
  for (const [name, given] of Object.entries(change)) {
    const lifecycle = lifecycles.get(name);
    if (!lifecycle) {
      const message = `there is no lifecycle "${name}"${didYouMean(name, lifecycles.keys())}`;
      mistakes.push({ path: "settings", message });
      continue;
    }
    const merged = given === null ? {} : merge(stored[name], given, 0);
    const parsed = lifecycle.settings.safeParse(merged);
    mistakes.push(
      ...(parsed.success
        ? [
            ...unknownKeys(merged, parsed.data, `settings.${name}`),
            ...[...overlongSettings(lifecycle, parsed.data)].map(({ setting, maximum }) => ({
              path: `settings.${name}.${setting}`,
              message: `must be at most ${maximum} (100 years)`,
            })),
          ]
        : parsed.error.issues.map((issue) => ({
            path: ["settings", name, ...issue.path].join("."),
            message: issue.message,
          }))),
    );
    settings[name] = merged;
  }
  const [first] = mistakes;
  if (first)
    return refuse("VALIDATION_ERROR", `${first.path}: ${first.message}.`.replace("?.", "?"), {
      errors: mistakes,
    });
  return { kind: "changed", settings };
}

/** Merges by RFC 7396. Values deeper than any real setting are not merged; the schema refuses them. */
function merge(stored: unknown, given: unknown, depth: number): unknown {
  if (!isObject(given) || depth > MAX_DEPTH) return given;
  const merged: JsonObject = isObject(stored) ? { ...stored } : {};
  for (const [key, value] of Object.entries(given)) {
    const rest = merge(merged[key], value, depth + 1);
    if (rest === null) Reflect.deleteProperty(merged, key);
    else merged[key] = rest;
  }
  return merged;
}

/** Finds keys that the schema dropped, so that a misspelt setting is reported and not silently ignored. */
function unknownKeys(sent: unknown, known: unknown, path: string): Mistake[] {
  if (!isObject(sent) || !isObject(known)) return [];
  return Object.entries(sent).flatMap(([key, value]) =>
    key in known
      ? unknownKeys(value, known[key], `${path}.${key}`)
      : [{ path, message: `there is no setting "${key}"${didYouMean(key, Object.keys(known))}` }],
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
