import type { View } from "../lifecycle.ts";

/** What the model knows of a task; a question about anything else can be answered either way. */
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
  "lease",
  "due_action",
]);
const MODELLED_OF_LEASE = new Set(["holder", "token"]);
const MODELLED_OF_ACTOR = new Set(["id"]);

export type Reads = { beyondModel: boolean; facts: Set<string> };

/** A view that remembers whether its reader looked at more than the model holds, and at which facts. */
export function watchReads(view: View): { view: View; reads: Reads } {
  const reads: Reads = { beyondModel: false, facts: new Set() };
  const beyond = () => {
    reads.beyondModel = true;
  };
  const only = (modelled: Set<string>) => (key: string) => {
    if (!modelled.has(key)) beyond();
  };
  const lease = view.task.lease && watched(view.task.lease, only(MODELLED_OF_LEASE));
  const parts = {
    ...view,
    task: watched({ ...view.task, lease }, only(MODELLED_OF_TASK)),
    actor: watched(view.actor, only(MODELLED_OF_ACTOR)),
    input: watched(view.input, beyond),
    facts: watched(view.facts, (fact) => {
      reads.facts.add(fact);
      beyond();
    }),
  };
  return {
    view: watched(parts, (key) => {
      if (key === "now" || key === "comment") beyond();
    }),
    reads,
  };
}

function watched<T extends object>(target: T, onRead: (key: string) => void): T {
  return new Proxy(target, {
    get: (object, key) => {
      if (typeof key === "string") onRead(key);
      return Reflect.get(object, key) as unknown;
    },
  });
}
