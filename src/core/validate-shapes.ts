import type { UnindexedLifecycle } from "./index-rules.ts";
import { didYouMean } from "./nearest.ts";

/** Checks the types of rules, guards, effects and the `who` entries at run time, for lifecycles written in JavaScript. */
export function* validateShapes(lifecycle: UnindexedLifecycle): Generator<string> {
  for (const [index, rule] of lifecycle.rules.entries()) {
    for (const key of ["from", "who"] as const) {
      const value: unknown = rule[key];
      if (typeof value !== "string" && !Array.isArray(value))
        yield `rule ${index + 1} (${rule.action}): "${key}" must be a name or a list of names, but is ${describeValue(value)}`;
    }
  }
  yield* validateFunctions("guard", lifecycle.guards);
  yield* validateFunctions("invariant", lifecycle.invariants);
  yield* validateFunctions("wrong_status_refusals", lifecycle.wrong_status_refusals);
  for (const [name, effect] of Object.entries(lifecycle.effects)) yield* validateEffect(name, effect);
  for (const [name, who] of Object.entries(lifecycle.who)) yield* validateWho(name, who);
}

function* validateFunctions(kind: string, entries: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(entries)) {
    if (typeof value !== "function")
      yield `${kind} "${name}" must be a function, but is ${describeValue(value)}`;
  }
}

const EFFECT_FUNCTIONS = ["change", "side_effects", "comment", "payload", "timer"];
const EFFECT_KEYS = [...EFFECT_FUNCTIONS, "lease"];

function* validateEffect(name: string, effect: unknown): Generator<string> {
  if (typeof effect === "function") return;
  if (!isRecord(effect)) {
    yield `effect "${name}" must be a function or an object with ${EFFECT_KEYS.join(", ")}, but is ${describeValue(effect)}`;
    return;
  }
  const entries = Object.entries(effect).filter(([, value]) => value !== undefined);
  if (entries.length === 0)
    yield `effect "${name}" is empty: it needs at least one of ${EFFECT_KEYS.join(", ")}`;
  for (const [key, value] of entries) {
    if (!EFFECT_KEYS.includes(key))
      yield `effect "${name}" has an unknown key "${key}"${didYouMean(key, EFFECT_KEYS)}`;
    if (EFFECT_FUNCTIONS.includes(key) && typeof value !== "function")
      yield `effect "${name}": "${key}" must be a function, but is ${describeValue(value)}`;
    if (key === "lease" && value !== "close")
      yield `effect "${name}": "lease" can only be "close", but is ${describeValue(value)}`;
  }
}

function* validateWho(name: string, who: unknown): Generator<string> {
  if (!isRecord(who)) {
    yield `who "${name}" must be an object with a label and a test, but is ${describeValue(who)}`;
    return;
  }
  if (typeof who.label !== "string")
    yield `who "${name}": "label" must be a string, but is ${describeValue(who.label)}`;
  if (typeof who.test !== "function")
    yield `who "${name}": "test" must be a function, but is ${describeValue(who.test)}`;
  if (who.refusal !== undefined && typeof who.refusal !== "function")
    yield `who "${name}": "refusal" must be a function, but is ${describeValue(who.refusal)}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Describes an invalid value for an error message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return `the string "${value}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "function" ? "a function" : "an object";
}
