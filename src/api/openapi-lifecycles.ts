import { MAX_NAME_LENGTH, MAX_TEXT_LENGTH } from "../core/index.ts";
import type { JsonObject, LifecycleDescription } from "../core/index.ts";

type Schemas = {
  /** References to the creation bodies, one per lifecycle. */
  creations: JsonObject[];
  /** References to the transition bodies, one per action. */
  transitions: JsonObject[];
  schemas: Record<string, JsonObject>;
};

/** Builds the bodies that the generic routes accept: one schema per creation and per action of each lifecycle. */
export function lifecycleSchemas(lifecycles: readonly LifecycleDescription[]): Schemas {
  const all: Schemas = { creations: [], transitions: [], schemas: {} };
  for (const lifecycle of lifecycles) {
    all.creations.push(put(all.schemas, `${lifecycle.name}.create`, creationSchema(lifecycle)));
    for (const action of lifecycle.actions)
      all.transitions.push(
        put(all.schemas, `${lifecycle.name}.${action.name}`, transitionSchema(lifecycle, action)),
      );
  }
  return all;
}

function put(schemas: Record<string, JsonObject>, name: string, schema: JsonObject): JsonObject {
  const plain = name.replaceAll(/[^\w.-]/g, "_");
  schemas[plain] = schema;
  return { $ref: `#/components/schemas/${plain}` };
}

function creationSchema({ name, summary, creation }: LifecycleDescription): JsonObject {
  const { $schema: _, properties = {}, required = [], ...input } = creation.input as ObjectSchema;
  return {
    ...input,
    title: `create: ${name}`,
    description: summary,
    type: "object",
    properties: {
      ...properties,
      lifecycle: { const: name },
      project_id: {
        type: ["string", "null"],
        maxLength: MAX_NAME_LENGTH,
        description: "default `main`",
      },
      available_at: {
        type: ["string", "null"],
        format: "date-time",
        description: "the task cannot be claimed before this moment",
      },
      client_event_id: CLIENT_EVENT_ID,
    },
    required: ["lifecycle", ...required, ...requiredOf({ client_event_id: creation.client_event_id })],
  };
}

function transitionSchema(
  lifecycle: LifecycleDescription,
  action: LifecycleDescription["actions"][number],
): JsonObject {
  const { $schema: _, ...payload } = action.input as ObjectSchema;
  const { comment, expected_row_version, lease_token } = action;
  return {
    title: `${lifecycle.name}: ${action.name}`,
    ...(action.summary === null ? {} : { description: action.summary }),
    type: "object",
    properties: {
      action: { const: action.name },
      comment: { type: comment === "required" ? "string" : ["string", "null"], maxLength: MAX_TEXT_LENGTH },
      payload: payload.required?.length ? payload : { anyOf: [payload, { type: "null" }] },
      expected_row_version: { type: expected_row_version === "required" ? "integer" : ["integer", "null"] },
      lease_token: {
        type: lease_token === "required" ? "string" : ["string", "null"],
        maxLength: MAX_NAME_LENGTH,
      },
      client_event_id: CLIENT_EVENT_ID,
    },
    required: [
      "action",
      ...(payload.required?.length ? ["payload"] : []),
      // The version and the key are never required in the body: they may come as headers.
      ...requiredOf({ comment, lease_token }),
    ],
  };
}

type ObjectSchema = JsonObject & { properties?: JsonObject; required?: string[] };

const CLIENT_EVENT_ID = {
  type: ["string", "null"],
  minLength: 1,
  maxLength: 500,
  description:
    "idempotency key: a repeated request with the same key gets the first answer. Also accepted as `Idempotency-Key`.",
};

function requiredOf(fields: Record<string, string>): string[] {
  return Object.entries(fields)
    .filter(([, demand]) => demand === "required")
    .map(([field]) => field);
}
