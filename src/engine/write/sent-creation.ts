import type { JsonObject } from "../../core/index.ts";
import type { NewTask } from "./validate-creations.ts";

/** A creation as JSON: times are texts, and null means absent. */
export type SentCreation = JsonObject & {
  lifecycle: string;
  project_id?: string | null | undefined;
  ref?: string | null | undefined;
  available_at?: string | null | undefined;
};

/** Returns the creation for the engine, which counts in milliseconds. */
export function newTaskOf({ project_id, ref, available_at, ...sent }: SentCreation): NewTask {
  return {
    ...sent,
    ...(project_id == null ? {} : { project_id }),
    ...(ref == null ? {} : { ref }),
    ...(available_at == null ? {} : { available_at: Date.parse(available_at) }),
  };
}
