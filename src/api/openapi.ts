import { z } from "zod";
import { describeLifecycle, problemOf, PROBLEMS } from "../core/index.ts";
import type { AnyProblemCode, JsonObject, Lifecycle, Problem } from "../core/index.ts";
import { lifecycleSchemas } from "./openapi-lifecycles.ts";
import { problem, PROBLEM_MEDIA } from "./problem.ts";
import { isMedia } from "./route.ts";
import type { Reply, Route, RouteTable } from "./route.ts";

/** Maximum length of a path parameter; a longer one gets a 404. */
export const MAX_PARAM_LENGTH = 1_000;

/** Problems of the plugins, by their codes. */
type OwnProblems = Readonly<Record<string, Problem>>;

type OpenApiSource = {
  table: RouteTable;
  lifecycles: readonly Lifecycle[];
  problems: OwnProblems;
  version: string;
};

/** Builds the OpenAPI 3.1 document of the API, including each lifecycle's actions and their inputs. */
export function openApiDocument({ table, lifecycles, problems, version }: OpenApiSource): JsonObject {
  const components = new Components();
  components.schemaOf(problem, "output");
  const { creations, transitions, schemas } = lifecycleSchemas(lifecycles.map(describeLifecycle));
  const bodies = new Map<string, JsonObject>([
    ["createTask", { anyOf: creations }],
    ["moveTask", { anyOf: transitions }],
  ]);
  const paths: Record<string, JsonObject> = {};
  for (const [name, route] of Object.entries(table)) {
    const at = (paths[route.path] ??= {});
    at[route.method.toLowerCase()] = operation(name, route, {
      components,
      problems,
      ruledBody: bodies.get(name),
    });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Pawl",
      version,
      description:
        "Moves tasks through declared lifecycles: only along declared transitions, once, and on record.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(table).map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { ...components.schemas, ...schemas },
    },
  };
}

function operation(
  name: string,
  route: Route,
  {
    components,
    problems,
    ruledBody,
  }: { components: Components; problems: OwnProblems; ruledBody: JsonObject | undefined },
): JsonObject {
  const { summary, about, group, access = "member", body } = route;
  const schema = ruledBody ?? (body ? components.schemaOf(body, "input") : null);
  const required = !body?.safeParse(undefined).success;
  return {
    operationId: name,
    summary,
    ...(about === undefined ? {} : { description: about }),
    tags: [group],
    security: access === "open" ? [] : [{ token: [] }],
    parameters: parametersOf(route, components),
    ...(schema ? { requestBody: { required, content: { "application/json": { schema } } } } : {}),
    responses: { ...answersOf(route, components), ...refusalsOf(route, problems) },
  };
}

function parametersOf(route: Route, components: Components): JsonObject[] {
  const { path, query, tokenInQuery, idempotent, versioned, resumable } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: text(MAX_PARAM_LENGTH),
  }));
  const { properties = {} } = (query ? components.schemaOf(query, "input") : {}) as {
    properties?: Record<string, JsonObject>;
  };
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(description === undefined ? {} : { description }),
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
  }));
  const token =
    tokenInQuery === undefined
      ? []
      : [
          {
            name: tokenInQuery,
            in: "query",
            description: "the token, for clients that cannot send headers",
            schema: text(500),
          },
        ];
  const inHeaders = [
    ...(idempotent ? [header("Idempotency-Key", "same as client_event_id", text(500))] : []),
    ...(versioned ? [header("If-Match", "the ETag of the task version you have seen", text(20))] : []),
    ...(resumable ? [header("Last-Event-ID", "same as after, and takes precedence", text(16))] : []),
  ];
  return [...inPath, ...inQuery, ...token, ...inHeaders];
}

function text(maxLength: number): JsonObject {
  return { type: "string", maxLength };
}

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "header", description, schema };
}

function answersOf(route: Route, components: Components): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, reply]) => [
      status,
      { description: route.summary, ...contentOf(reply, components) },
    ]),
  );
}

function contentOf(reply: Reply, components: Components): JsonObject {
  if (reply === null) return {};
  const [type, schema] = isMedia(reply) ? [reply.media, reply.schema] : ["application/json", reply];
  return { content: { [type.replace(/;.*/, "")]: { schema: components.schemaOf(schema, "output") } } };
}

/** Groups the refusal codes of a route by status. */
function refusalsOf(route: Route, problems: OwnProblems): Record<string, JsonObject> {
  const content = { [PROBLEM_MEDIA]: { schema: { $ref: "#/components/schemas/Problem" } } };
  const byStatus = new Map<string, string[]>();
  for (const code of refusalCodesOf(route, problems)) {
    const status = String(problemOf(code, problems).status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  // A lifecycle may define refusals with any status.
  if (route.ruled) byStatus.set("4XX", ["a refusal by the lifecycle's rules"]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: codes.join(", "), content }]),
  );
}

/** Returns every refusal code that a route may answer with. */
export function refusalCodesOf(route: Route, problems: OwnProblems): AnyProblemCode[] {
  const { access = "member", permission, method, path, body, query, idempotent, versioned } = route;
  const { ruled, refusals = [] } = route;
  // A body is parsed even if the route has none.
  const reads = method !== "GET";
  const codes: AnyProblemCode[] = [
    ...(access === "open"
      ? []
      : ["INVALID_TOKEN", "MEMBER_INACTIVE", "TOKEN_CONFINED", "RATE_LIMITED", "UNAVAILABLE"]),
    ...(access === "admin" || permission || ruled ? ["FORBIDDEN"] : []),
    ...(reads || (body ?? query ?? idempotent ?? versioned) ? ["VALIDATION_ERROR"] : []),
    ...(reads ? ["TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] : []),
    ...(idempotent ? ["IDEMPOTENCY_CONFLICT"] : []),
    // For a path parameter that is too long or cannot be decoded.
    ...(path.includes("{") ? ["NOT_FOUND"] : []),
    ...(ruled ? [...ruledCodes(problems), "NOT_SET_UP"] : []),
    ...refusals,
  ];
  return [...new Set(codes)];
}

const NEVER_RULED = new Set([
  "ALREADY_EXISTS",
  "LAST_ADMIN",
  "INVALID_LIFECYCLE",
  "INVALID_CONFIG",
  "CROSS_SITE_REQUEST",
  "ORIGIN_NOT_ALLOWED",
  "HOST_NOT_ALLOWED",
]);

/** Returns the codes with which the rules of a lifecycle may refuse. */
function ruledCodes(problems: OwnProblems): string[] {
  return Object.entries<Problem>({ ...PROBLEMS, ...problems })
    .filter(([code, { status }]) => [403, 409, 422].includes(status) && !NEVER_RULED.has(code))
    .map(([code]) => code);
}

/** Collects named schemas, each once, for `components`. */
class Components {
  readonly schemas: Record<string, JsonObject> = {};

  schemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
    const {
      $schema: _,
      $defs,
      ...generated
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      // Later versions may add fields, so clients must ignore unknown ones.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    }) as JsonObject & { $defs?: Record<string, JsonObject> };
    for (const [name, def] of Object.entries($defs ?? {})) this.add(name, def);
    const { id } = z.globalRegistry.get(schema) ?? {};
    if (id === undefined) return absoluteRefs(generated) as JsonObject;
    // The root itself may be a reference into `$defs`.
    if (generated.$ref === undefined) this.add(id, generated);
    return { $ref: `#/components/schemas/${id}` };
  }

  private add(name: string, { id: _, ...schema }: JsonObject): void {
    this.schemas[name] = absoluteRefs(schema) as JsonObject;
  }
}

/** Rewrites references within one schema to references within the whole document. */
function absoluteRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absoluteRefs);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      key === "$ref" && typeof part === "string"
        ? [key, part.replace(/^#\/\$defs\//, "#/components/schemas/")]
        : [key, absoluteRefs(part)],
    ),
  );
}
