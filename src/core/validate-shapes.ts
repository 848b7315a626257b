import type { UnindexedLifecycle } from "./index-rules.ts";
import { didYouMean } from "./nearest.ts";

/** Checks the types of rules, guards, effects and whos at run time, for lifecycles written in JavaScript. */
export function* validateShapes(lifecycle: UnindexedLifecycle): Generator<string> {
  for (const [index, rule] of lifecycle.rules.entries()) {
    for (const key of ["from", "who"] as const) {
      const value: unknown = rule[key];
      if (typeof value !== "string" && !Array.isArray(value))
        yield `rule ${index + 1} (${rule.action}): "${key}" is ${describeValue(value)}, not a name or a list of names`;
    }
  }
  yield* validateFunctions("guard", lifecycle.guards);
  yield* validateFunctions("invariant", lifecycle.invariants);
  yield* validateFunctions("not_from_here", lifecycle.not_from_here);
  for (const [name, effect] of Object.entries(lifecycle.effects)) yield* validateEffect(name, effect);
  for (const [name, who] of Object.entries(lifecycle.who)) yield* validateWho(name, who);
}

function* validateFunctions(kind: string, entries: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(entries)) {
    if (typeof value !== "function") yield `${kind} "${name}" is ${describeValue(value)}, not a function`;
  }
}

const FUNCTIONS_OF_EFFECT = ["change", "also", "comment", "timer"];
const PARTS_OF_EFFECT = [...FUNCTIONS_OF_EFFECT, "lease"];

function* validateEffect(name: string, effect: unknown): Generator<string> {
  if (typeof effect === "function") return;
  if (!isRecord(effect)) {
    yield `effect "${name}" is ${describeValue(effect)}, not a function or its parts (${PARTS_OF_EFFECT.join(", ")})`;
    return;
  }
  const parts = Object.entries(effect).filter(([, part]) => part !== undefined);
  if (parts.length === 0) yield `effect "${name}" has none of its parts (${PARTS_OF_EFFECT.join(", ")})`;
  for (const [part, value] of parts) {
    if (!PARTS_OF_EFFECT.includes(part))
      yield `effect "${name}" has the unknown part "${part}"${didYouMean(part, PARTS_OF_EFFECT)}`;
    if (FUNCTIONS_OF_EFFECT.includes(part) && typeof value !== "function")
      yield `effect "${name}": "${part}" is ${describeValue(value)}, not a function`;
    if (part === "lease" && value !== "close")
      yield `effect "${name}": "lease" is ${describeValue(value)} and can only be "close"`;
  }
}

function* validateWho(name: string, who: unknown): Generator<string> {
  if (!isRecord(who)) {
    yield `who "${name}" is ${describeValue(who)}, not an object with a label and a test`;
    return;
  }
  if (typeof who.label !== "string")
    yield `who "${name}": "label" is ${describeValue(who.label)}, not a text`;
  if (typeof who.test !== "function")
    yield `who "${name}": "test" is ${describeValue(who.test)}, not a function`;
  if (who.refusal !== undefined && typeof who.refusal !== "function")
    yield `who "${name}": "refusal" is ${describeValue(who.refusal)}, not a function`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Describes a wrong value for a message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return `the text "${value}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "function" ? "a function" : "an object";
}
