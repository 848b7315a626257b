import { z } from "zod";
import { inputSchema } from "./explain.ts";
import { fromOf, whoOf } from "./index-rules.ts";
import type {
  ActionSpec,
  Demand,
  Duration,
  Lifecycle,
  Migrations,
  Pool,
  Roles,
  Rule,
  Timer,
  Unblocks,
} from "./lifecycle.ts";
import { creationPermission, permissionOf } from "./permissions.ts";
import type { Problem } from "./problems.ts";
import type { JsonObject } from "./task.ts";

/** A lifecycle as plain JSON: names instead of functions, JSON Schema instead of zod. */
export type LifecycleDescription = {
  name: string;
  version: number;
  summary: string;
  statuses: StatusDescription[];
  creation: {
    permission: string;
    roles: Roles;
    client_event_id: Demand;
    input: JsonObject;
    to: { status: string; guards: string[] }[];
  };
  actions: ActionDescription[];
  rules: RuleDescription[];
  /** The kinds of actors that the rules name, with their display names. */
  who: { name: string; label: string }[];
  permissions: Record<string, Roles>;
  invariants: string[];
  /** Refusal codes that only this lifecycle has. */
  problems: Record<string, Problem>;
  data: JsonObject;
  settings: { schema: JsonObject; defaults: JsonObject };
  facts: JsonObject;
  lease: { lasts: Duration } | null;
  pool: Pool | null;
  unblocks: Unblocks | null;
  migrations: Required<Migrations>;
};

type StatusDescription = {
  name: string;
  meaning: string | null;
  final: boolean;
  success: boolean;
  lease: boolean;
  timers: Timer[];
};

type ActionDescription = {
  name: string;
  summary: string | null;
  permission: string;
  roles: Roles;
  event: string;
  /** JSON Schema of the payload. */
  input: JsonObject;
  comment: Demand;
  expected_row_version: Demand;
  client_event_id: Demand;
  lease_token: Demand;
  facts: string[];
};

export type RuleDescription = {
  action: string;
  from: string[];
  /** null: the status stays as it is. */
  to: string | null;
  outcome: "moved" | "touched" | "absorbed";
  who: string[];
  guards: string[];
  effects: string[];
};

/** Describes a lifecycle as plain JSON, for the API, the console and documentation. */
export function describeLifecycle(lifecycle: Lifecycle): LifecycleDescription {
  const { creation, settings } = lifecycle;
  const named = new Set(lifecycle.rules.flatMap(whoOf));
  return {
    name: lifecycle.name,
    version: lifecycle.version,
    summary: lifecycle.summary,
    statuses: Object.entries(lifecycle.statuses).map(([name, spec]) => ({
      name,
      meaning: spec.meaning ?? null,
      final: spec.final ?? false,
      success: spec.success ?? false,
      lease: spec.lease ?? false,
      timers: [...(spec.timers ?? [])],
    })),
    creation: {
      permission: creationPermission(lifecycle),
      roles: rolesOf(lifecycle, creationPermission(lifecycle)),
      client_event_id: creation.client_event_id ?? "optional",
      input: schemaOf(creation.input),
      to: creation.to.map(({ status, guards = [] }) => ({ status, guards: [...guards] })),
    },
    actions: Object.entries(lifecycle.actions).map(([name, spec]) => describeAction(lifecycle, name, spec)),
    rules: lifecycle.rules.map(describeRule),
    who: [...named].map((name) => ({ name, label: lifecycle.who[name]?.label ?? name })),
    permissions: { ...lifecycle.permissions },
    invariants: Object.keys(lifecycle.invariants),
    problems: { ...lifecycle.problems },
    data: schemaOf(lifecycle.data),
    settings: { schema: schemaOf(settings), defaults: settings.parse({}) },
    facts: schemaOf(lifecycle.facts),
    lease: lifecycle.lease,
    pool: lifecycle.pool,
    unblocks: lifecycle.unblocks,
    migrations: lifecycle.migrations,
  };
}

function describeAction(lifecycle: Lifecycle, name: string, spec: ActionSpec): ActionDescription {
  return {
    name,
    summary: spec.summary ?? null,
    permission: permissionOf(lifecycle, name),
    roles: rolesOf(lifecycle, permissionOf(lifecycle, name)),
    event: spec.event ?? name,
    input: inputSchema(lifecycle, name),
    comment: spec.comment ?? "optional",
    expected_row_version: spec.expected_row_version ?? "optional",
    client_event_id: spec.client_event_id ?? "optional",
    lease_token: lifecycle.lease_only_actions.has(name) ? "required" : "optional",
    facts: [...(spec.facts ?? [])],
  };
}

function describeRule(rule: Rule): RuleDescription {
  return {
    action: rule.action,
    from: [...fromOf(rule)],
    to: rule.to ?? null,
    outcome: rule.outcome ?? "moved",
    who: [...whoOf(rule)],
    guards: [...(rule.guards ?? [])],
    effects: [...(rule.effects ?? [])],
  };
}

function rolesOf(lifecycle: Lifecycle, permission: string): Roles {
  return lifecycle.permissions[permission] ?? "anyone";
}

function schemaOf(schema: z.ZodObject): JsonObject {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}
