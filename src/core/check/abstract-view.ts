import type { z } from "zod";
import type { Lifecycle, View } from "../lifecycle.ts";
import type { Actor, JsonObject, Task } from "../task.ts";
import type { Choose } from "./choices.ts";
import { MEMBER_IDS, refusedSamples, samplesByField } from "./samples.ts";

export const NOW = 1_000_000_000;

/** The fields of a task that the model tracks; any other field may have any value. */
const MODELLED_OF_TASK = new Set([
  "status",
  "assigned_to",
  "created_by",
  "attempt",
  "open_blockers",
  "open_holds",
  "needs_attention",
  "private",
  "exclusive_key",
  "due_action",
]);

/** Everything that a rule can read beyond the model, with its possible values. */
export type Unknowns = {
  inputs: ReadonlyMap<string, ReadonlyMap<string, readonly unknown[]>>;
  creation: ReadonlyMap<string, readonly unknown[]>;
  data: ReadonlyMap<string, readonly unknown[]>;
  facts: ReadonlyMap<string, readonly unknown[]>;
  settings: JsonObject;
  settingChoices: ReadonlyMap<string, readonly unknown[]>;
  actor: ReadonlyMap<string, readonly unknown[]>;
  /** Samples that their own schema refuses, by the object that they are in and their field. */
  refused: ReadonlyMap<ReadonlyMap<string, readonly unknown[]>, ReadonlyMap<string, ReadonlySet<unknown>>>;
};

const TASK_FIELDS = new Map<string, readonly unknown[]>([["priority", [0, 1, -1]]]);

export function unknownsOf(lifecycle: Lifecycle): Unknowns {
  const roles = [
    ...new Set(Object.values(lifecycle.permissions).flatMap((given) => (given === "anyone" ? [] : given))),
  ];
  const settings = lifecycle.settings.parse({});
  // Switches and enums are tried with every value; amounts (durations, counts) stay at their defaults.
  const settingChoices = [...samplesByField(lifecycle.settings)].filter(([, values]) =>
    values.some((value) => typeof value === "boolean" || (typeof value === "string" && !isMemberId(value))),
  );
  const refused = new Map<
    ReadonlyMap<string, readonly unknown[]>,
    ReadonlyMap<string, ReadonlySet<unknown>>
  >();
  const samplesOf = (schema: z.ZodObject) => {
    const samples = samplesByField(schema);
    refused.set(samples, refusedSamples(schema, samples));
    return samples;
  };
  return {
    inputs: new Map(
      Object.entries(lifecycle.actions).map(([action, { input }]) => [
        action,
        input ? samplesOf(input) : new Map(),
      ]),
    ),
    creation: samplesOf(lifecycle.creation.input),
    data: samplesOf(lifecycle.data),
    facts: samplesOf(lifecycle.facts),
    refused,
    settings,
    settingChoices: new Map(settingChoices.map(([field, values]) => [field, [settings[field], ...values]])),
    actor: new Map<string, readonly unknown[]>([
      ["roles", [roles, [], ...roles.map((role) => [role])]],
      ["kind", ["human", "service"]],
      ["skill_level", [10, 1, null]],
      ["specializations", [["other"], []]],
    ]),
  };
}

function isMemberId(text: string): boolean {
  return MEMBER_IDS.some((id) => text.startsWith(id));
}

export type Reads = {
  /** Whether anything was read that the model does not track. */
  beyondModel: boolean;
  /** Whether a sample was read that its own schema refuses. */
  outsideSchema: boolean;
  facts: Set<string>;
};

/** Makes a view in which everything beyond the model is open: the first read of each such field is a choice. */
export function abstractView(
  unknowns: Unknowns,
  { task, actor, action }: { task: Task; actor: Actor; action: string },
  choose: Choose,
): { view: View; reads: Reads } {
  const reads: Reads = { beyondModel: false, outsideSchema: false, facts: new Set() };
  const open = (
    name: string,
    fields: ReadonlyMap<string, readonly unknown[]>,
    note?: (field: string) => void,
  ) =>
    openObject(Object.fromEntries([...fields].map(([field, values]) => [field, values[0]])), (field) => {
      reads.beyondModel = true;
      note?.(field);
      const value = choose(`${name}.${field}`, fields.get(field) ?? [undefined]);
      reads.outsideSchema ||= unknowns.refused.get(fields)?.get(field)?.has(value) ?? false;
      return value;
    });
  const data = open("data", unknowns.data);
  const view = {
    task: openObject({ ...task, data }, (field, own) => {
      if (MODELLED_OF_TASK.has(field) || field === "data" || field === "id") return own;
      // The model tracks whether there is a lease and who holds it, but not the time of its last heartbeat.
      if (field === "lease") return own === null ? null : openLease(own as object, reads);
      reads.beyondModel = true;
      return choose(`task.${field}`, TASK_FIELDS.get(field) ?? [own]);
    }),
    actor: openObject({ ...actor }, (field, own) => {
      if (field === "id" || actor.id === null) return own;
      reads.beyondModel = true;
      return choose(`actor.${field}`, unknowns.actor.get(field) ?? [own]);
    }),
    facts: open("facts", unknowns.facts, (fact) => reads.facts.add(fact)),
    input: open(
      "input",
      action === "create" ? unknowns.creation : (unknowns.inputs.get(action) ?? new Map()),
    ),
    settings: openObject({ ...unknowns.settings }, (field, own) => {
      const values = unknowns.settingChoices.get(field);
      if (!values) return own;
      reads.beyondModel = true;
      return choose(`settings.${field}`, values);
    }),
    action,
    lease_token: task.lease !== null && task.lease.holder === actor.id ? task.lease.token : "stale",
    now: NOW,
    comment: "a comment",
  };
  return {
    view: openObject(view, (field, own) => ((reads.beyondModel ||= field === "now"), own)),
    reads,
  };
}

function openLease(lease: object, reads: Reads): object {
  return openObject(lease, (field, own) => {
    if (field !== "holder" && field !== "token") reads.beyondModel = true;
    return own;
  });
}

/** Makes an object whose fields are answered by `read` when they are read, tested with `in`, or spread. */
function openObject<T extends object>(fields: T, read: (field: string, own: unknown) => unknown): T {
  return new Proxy(fields, {
    get: (target, key) => {
      const own = Reflect.get(target, key) as unknown;
      return typeof key === "string" ? read(key, own) : own;
    },
    has: (target, key) =>
      typeof key === "string" ? read(key, Reflect.get(target, key)) !== undefined : Reflect.has(target, key),
  });
}
