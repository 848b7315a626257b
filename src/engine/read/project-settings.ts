import { didYouMean, overlongSettings, refuse } from "../../core/index.ts";
import type { JsonObject, Lifecycle, Refusal } from "../../core/index.ts";

type Mistake = { path: string; message: string };

const DEEPEST = 20;

/**
 * A project's settings after a change: a field that is given takes the place of the one that was there, null brings its
 * default back. Every lifecycle's schema has its say; what is stored is what was said, so that defaults may change.
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

/** RFC 7396. Nobody's settings are that deep; what lies below is left for the schema to refuse. */
function merge(stored: unknown, given: unknown, depth: number): unknown {
  if (!isObject(given) || depth > DEEPEST) return given;
  const merged: JsonObject = isObject(stored) ? { ...stored } : {};
  for (const [key, value] of Object.entries(given)) {
    const rest = merge(merged[key], value, depth + 1);
    if (rest === null) Reflect.deleteProperty(merged, key);
    else merged[key] = rest;
  }
  return merged;
}

/** A schema drops what it does not know; a misspelt setting must not be taken for a set one. */
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
