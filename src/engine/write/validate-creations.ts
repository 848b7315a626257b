import { v7 as uuidv7 } from "uuid";
import { admitCreation, isStorable, MAX_NAME_LENGTH, refuse } from "../../core/index.ts";
import type { Actor, Instant, JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { unknownLifecycle, wrongField } from "../refusals.ts";
import type { OnFailure } from "../sql/dependencies.ts";

/** A task to create: these fields, and those that the lifecycle declares. */
export type NewTask = JsonObject & {
  lifecycle: string;
  project_id?: string;
  /** A name for this task, which `blocked_by` of other tasks in the same request can use. */
  ref?: string;
  /** How a blocker that ends without success affects this task. */
  on_failure?: OnFailure;
  available_at?: Instant;
};

/** A request to create tasks, all of them or none. */
export type Creation = {
  tasks: readonly NewTask[];
  actor: Actor;
  client_event_id?: string | null | undefined;
};

/** A validated creation. */
export type AdmittedCreation = {
  actor: Actor;
  client_event_id: string | null;
  /** Fingerprint of the request; null without a key. */
  fingerprint: string | null;
  tasks: AdmittedTask[];
};
export type AdmittedTask = {
  id: string;
  lifecycle: Lifecycle;
  project_id: string;
  input: JsonObject;
  on_failure: OnFailure;
  available_at: Instant | null;
  /** ref → id of the tasks in the same request. */
  refs: ReadonlyMap<string, string>;
};

/** Validates everything that needs no database: lifecycle, role, input, key and refs. */
export function admitCreations(
  lifecycles: ReadonlyMap<string, Lifecycle>,
  { tasks, actor, client_event_id }: Creation,
): AdmittedCreation | Refusal {
  const refs = new Map<string, string>();
  const admitted: AdmittedTask[] = [];
  const key: unknown = client_event_id;
  if (key != null && !(typeof key === "string" && key !== "" && key.length <= 500 && isStorable(key)))
    return wrongField("client_event_id", "must be a string of 1 to 500 characters");
  for (const [index, sent] of tasks.entries()) {
    const lifecycle = lifecycles.get(sent.lifecycle);
    if (!lifecycle) return unknownLifecycle(sent.lifecycle);
    const { kind, ...rest } = admitCreation(lifecycle, actor, sent);
    if (kind === "refused") return withIndex({ kind, ...rest } as Refusal, index, tasks.length);
    if (lifecycle.creation.client_event_id === "required" && client_event_id == null && actor.id !== null) {
      const errors = [{ path: "client_event_id", message: "required" }];
      return refuse("VALIDATION_ERROR", "client_event_id is required to create a task.", { errors });
    }
    const invalid = invalidField(sent);
    if (invalid) return invalid;
    const { on_failure = sent.on_failure ?? "wait" } = lifecycle.creation;
    if (sent.on_failure != null && sent.on_failure !== on_failure)
      return wrongField("on_failure", `is always ${on_failure} in ${lifecycle.name}`);
    const id = uuidv7();
    if (sent.ref !== undefined) {
      if (refs.has(sent.ref))
        return wrongField("ref", `"${sent.ref}" is the ref of two tasks in this request`);
      refs.set(sent.ref, id);
    }
    admitted.push({
      id,
      lifecycle,
      project_id: sent.project_id ?? "main",
      input: (rest as { input: JsonObject }).input,
      on_failure,
      available_at: sent.available_at ?? null,
      refs,
    });
  }
  const identities = () => tasks.map(({ ref }, at) => [ref, ...identityOf(admitted[at] as AdmittedTask)]);
  const fingerprint = client_event_id == null ? null : fingerprintOf(["create", actor.id, identities()]);
  return { actor, client_event_id: client_event_id ?? null, fingerprint, tasks: admitted };
}

/** The values by which a repeated request is recognized: without ids, and without fields that the lifecycle does not read. */
function identityOf({ lifecycle, project_id, input, on_failure, available_at }: AdmittedTask): unknown[] {
  return [lifecycle.name, project_id, input, on_failure, available_at];
}

/** Adds the index of the refused task if the request has several. */
function withIndex(refusal: Refusal, index: number, count: number): Refusal {
  return count === 1 ? refusal : { ...refusal, params: { ...refusal.params, place: index } };
}

const YEAR_10000 = Date.UTC(10_000, 0);

/** Validates the engine's own fields; the lifecycle's schema validates the others. */
function invalidField({ available_at, on_failure, project_id, ref }: NewTask): Refusal | null {
  if (
    available_at != null &&
    !(Number.isSafeInteger(available_at) && available_at >= 0 && available_at < YEAR_10000)
  )
    return wrongField("available_at", "must be an integer: milliseconds since 1970, before the year 10000");
  if (on_failure != null && !["wait", "proceed", "fail"].includes(on_failure))
    return wrongField("on_failure", "must be wait, proceed or fail");
  for (const [path, value] of Object.entries({ project_id, ref })) {
    if (value == null) continue;
    if (typeof value !== "string" || value.length > MAX_NAME_LENGTH || !isStorable(value))
      return wrongField(
        path,
        `must be a valid Unicode string of at most ${MAX_NAME_LENGTH} characters, without NUL`,
      );
  }
  return null;
}
