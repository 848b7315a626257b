import { v7 as uuidv7 } from "uuid";
import { admitCreation, isStorable, MAX_NAME_LENGTH, refuse } from "../../core/index.ts";
import type { Actor, Instant, JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import { fingerprint } from "./fingerprint.ts";
import { unknownLifecycle, wrongField } from "../refusals.ts";
import type { OnFailure } from "../sql/dependencies.ts";

/** A task to be: the lifecycle's own fields stand beside these. */
export type NewTask = JsonObject & {
  lifecycle: string;
  project_id?: string;
  /** A name for it inside the request, which other tasks of the request may wait for. */
  ref?: string;
  /** What becomes of it when a blocker ends without success. */
  on_failure?: OnFailure;
  available_at?: Instant;
};

export type Creation = {
  tasks: readonly NewTask[];
  actor: Actor;
  client_event_id?: string | null | undefined;
};

/** What has been read and found well formed before any I/O. */
export type AdmittedCreation = {
  actor: Actor;
  client_event_id: string | null;
  /** What the key stands for, where there is one. */
  print: string | null;
  tasks: AdmittedTask[];
};
export type AdmittedTask = {
  id: string;
  lifecycle: Lifecycle;
  project_id: string;
  input: JsonObject;
  on_failure: OnFailure;
  available_at: Instant | null;
  /** ref → id, for what it waits for inside the request. */
  refs: ReadonlyMap<string, string>;
};

/** Role, shape, references and cycles: everything that can be said without the database. */
export function admitCreations(
  lifecycles: ReadonlyMap<string, Lifecycle>,
  { tasks, actor, client_event_id }: Creation,
): AdmittedCreation | Refusal {
  const refs = new Map<string, string>();
  const admitted: AdmittedTask[] = [];
  const key: unknown = client_event_id;
  if (key != null && !(typeof key === "string" && key !== "" && key.length <= 500 && isStorable(key)))
    return wrongField("client_event_id", "must be a text of 1 to 500 characters");
  for (const [place, sent] of tasks.entries()) {
    const lifecycle = lifecycles.get(sent.lifecycle);
    if (!lifecycle) return unknownLifecycle(sent.lifecycle);
    const { kind, ...rest } = admitCreation(lifecycle, actor, sent);
    if (kind === "refused") return placed({ kind, ...rest } as Refusal, place, tasks.length);
    if (lifecycle.creation.client_event_id === "required" && client_event_id == null && actor.id !== null) {
      const errors = [{ path: "client_event_id", message: "required" }];
      return refuse("VALIDATION_ERROR", "Creating a task needs client_event_id.", { errors });
    }
    const garbled = garbledField(sent);
    if (garbled) return garbled;
    const { on_failure = sent.on_failure ?? "wait" } = lifecycle.creation;
    if (sent.on_failure != null && sent.on_failure !== on_failure)
      return wrongField("on_failure", `is always ${on_failure} in ${lifecycle.name}`);
    const id = uuidv7();
    if (sent.ref !== undefined) {
      if (refs.has(sent.ref)) return wrongField("ref", `"${sent.ref}" names two tasks of the request`);
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
  const meant = () => tasks.map(({ ref }, at) => [ref, ...meaningOf(admitted[at] as AdmittedTask)]);
  const print = client_event_id == null ? null : fingerprint(["create", actor.id, meant()]);
  return { actor, client_event_id: client_event_id ?? null, print, tasks: admitted };
}

/** What makes two new tasks the same: not their ids, and not what the lifecycle does not read. */
function meaningOf({ lifecycle, project_id, input, on_failure, available_at }: AdmittedTask): unknown[] {
  return [lifecycle.name, project_id, input, on_failure, available_at];
}

/** Of several tasks, the one that is refused. */
function placed(refusal: Refusal, place: number, among: number): Refusal {
  return among === 1 ? refusal : { ...refusal, params: { ...refusal.params, place } };
}

const YEAR_10000 = Date.UTC(10_000, 0);

/** The engine's own fields; the lifecycle's have been read by its schema. */
function garbledField({ available_at, on_failure, project_id, ref }: NewTask): Refusal | null {
  if (
    available_at != null &&
    !(Number.isSafeInteger(available_at) && available_at >= 0 && available_at < YEAR_10000)
  )
    return wrongField("available_at", "must be whole milliseconds since 1970, before the year 10000");
  if (on_failure != null && !["wait", "proceed", "fail"].includes(on_failure))
    return wrongField("on_failure", "must be wait, proceed or fail");
  for (const [path, value] of Object.entries({ project_id, ref })) {
    if (value == null) continue;
    if (typeof value !== "string" || value.length > MAX_NAME_LENGTH || !isStorable(value))
      return wrongField(path, `must be a plain text of at most ${MAX_NAME_LENGTH} characters`);
  }
  return null;
}
