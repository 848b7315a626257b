import type { ClusterNode } from "./cluster.ts";
import type {
  Actor,
  Claimed,
  CreatedTasks,
  JsonObject,
  Performed,
  Refusal,
} from "../../../src/main/index.ts";
import { member } from "../../support/situation.ts";

export const ACTORS: readonly Actor[] = ["ann", "bob", "cat"].map((id) => member(id, ["agent"]));

type Answer = Performed | CreatedTasks | Claimed | Refusal;

/** One request of a history. Its tag is in the journal, as the comment or as the prefix of the titles. */
export type Sent = {
  tag: string;
  verb: "perform" | "create" | "claim";
  actor: Actor;
  /** The command, the tasks to create, or the claim. */
  request: JsonObject;
  client_event_id: string | null;
  wave: number;
  /** Whether an earlier wave used this key for another request. */
  conflicts: boolean;
  answer: Answer;
};

type Planned = Omit<Sent, "answer" | "wave">;

const WAVES = 9;
const COLORS = ["red", "green", "blue"];
const ACTIONS = [
  ...["claim", "paint", "paint", "note", "note", "hold", "free", "reserve", "spawn", "ping", "ignore"],
  ...["give_up", "finish", "finish", "close", "close", "drop", "remark", "go"],
];
const LEASED = new Set(["finish", "give_up"]);
/** How far the sweep's clock is ahead: past no timers, past leases, or past all timers. */
const SWEEP_AHEAD_MS = [0, 0, 6 * 60_000, 3 * 3_600_000];

/** Sends random requests in waves to several nodes. A seed sends the same requests as long as it gets the same answers. */
export async function runHistory(
  nodes: readonly ClusterNode[],
  org_id: string,
  seed: number,
): Promise<Sent[]> {
  const plan = new Plan(seed);
  const sent: Sent[] = [];
  for (let wave = 0; wave < WAVES; wave++) {
    const planned = plan.wave(wave);
    const sweepAhead = wave > 1 && plan.oneIn(3) ? plan.pick(SWEEP_AHEAD_MS) : null;
    const answers = await Promise.all([
      ...planned.map((one) => send(plan.pick(nodes), org_id, one)),
      ...(sweepAhead === null ? [] : [sweep(plan.pick(nodes), org_id, sweepAhead)]),
    ]);
    for (const [index, one] of planned.entries()) {
      const done = { ...one, wave, answer: answers[index] as Answer };
      sent.push(done);
      plan.learn(done);
    }
  }
  return sent;
}

function send(
  node: ClusterNode,
  org_id: string,
  { verb, actor, request, client_event_id }: Planned,
): Promise<Answer> {
  const caller = { org_id, actor };
  if (verb === "perform") return node.perform(caller, { ...request, client_event_id } as never);
  if (verb === "claim") return node.claim(caller, { ...request, lifecycle: "job", client_event_id });
  return node.create(caller, request.tasks as never, { client_event_id });
}

async function sweep(node: ClusterNode, org_id: string, ahead: number): Promise<void> {
  const { postponed } = await node.sweep({ org_id, now: Date.now() + ahead });
  if (postponed.length > 0) throw new Error(`a sweep put off ${JSON.stringify(postponed)}`);
}

/** The state of a task according to the answers; other requests may have changed it since. */
type KnownTask = {
  id: string;
  version: number;
  lease: { token: string; holder: Actor } | null;
  holds: string[];
};

/** Chooses requests by a seeded generator and by the answers so far. */
class Plan {
  private readonly seed: number;
  private state: number;
  private tags = 0;
  private readonly tasks = new Map<string, KnownTask>();
  private readonly keyed: Sent[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.state = seed;
  }

  wave(wave: number): Planned[] {
    const creations = wave === 0 ? 4 : 1;
    const size = wave === 0 ? 0 : 8 + this.below(8);
    const planned = [
      ...Array.from({ length: creations }, () => this.creation()),
      ...Array.from({ length: size }, () => this.request()),
    ];
    // Some keyed requests are sent twice at once.
    const twins = planned.filter(({ client_event_id }) => client_event_id !== null && this.oneIn(3));
    return [...planned, ...twins];
  }

  learn(done: Sent): void {
    const { answer, client_event_id, actor, request } = done;
    if (client_event_id !== null) this.keyed.push(done);
    if (answer.kind === "refused") return;
    if (answer.kind === "created") for (const { id } of answer.tasks) this.know(id, 1);
    if (answer.kind === "claimed")
      for (const { task, lease_token } of answer.tasks)
        this.know(task.id, task.row_version, lease_token, actor);
    if (answer.kind !== "performed") return;
    const known = this.know(answer.task.id, answer.task.row_version, answer.lease_token, actor);
    const { hold_id } = (request.payload ?? {}) as { hold_id?: string };
    if (request.action === "hold" && hold_id !== undefined) known.holds.push(hold_id);
  }

  /** Returns a random number below a limit, by the generator mulberry32. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  private know(
    id: string,
    version: number,
    token: string | null = null,
    holder: Actor = ACTORS[0]!,
  ): KnownTask {
    const known = this.tasks.get(id) ?? { id, version, lease: null, holds: [] };
    known.version = Math.max(known.version, version);
    if (token !== null) known.lease = { token, holder };
    this.tasks.set(id, known);
    return known;
  }

  private head(verb: Sent["verb"]): Omit<Planned, "request"> {
    const tag = `${this.seed}-${this.tags++}`;
    const client_event_id = this.oneIn(2) ? `key ${tag}` : null;
    return { tag, verb, actor: this.pick(ACTORS), client_event_id, conflicts: false };
  }

  private request(): Planned {
    const die = this.below(20);
    if (die < 1) return this.creation();
    if (die < 3) return this.claim();
    if (die < 6 && this.keyed.length > 0) return this.repetition();
    return this.command();
  }

  private creation(): Planned {
    const head = this.head("create");
    const tasks = Array.from({ length: 1 + this.below(3) }, (_, index) => ({
      lifecycle: "job",
      ref: `r${index}`,
      title: `${head.tag}.${index}`,
      priority: this.below(5),
      after: this.blockers(index),
      ...(this.oneIn(2) ? { on_failure: this.pick(["wait", "proceed", "fail"]) } : {}),
    }));
    return { ...head, request: { tasks } };
  }

  private blockers(index: number): string[] {
    const ids = [...this.tasks.keys()];
    const outside = ids.length > 0 && this.oneIn(2) ? [this.pick(ids)] : [];
    return index > 0 && this.oneIn(2) ? [...outside, `r${this.below(index)}`] : outside;
  }

  private claim(): Planned {
    const head = this.head("claim");
    return { ...head, request: { limit: 1 + this.below(2), comment: head.tag } };
  }

  private command(): Planned {
    const head = this.head("perform");
    const action = this.pick(ACTIONS);
    const known = this.taskFor(action);
    const version = this.pick([null, null, null, known.version, known.version, known.version - 1]);
    const lease = known.lease !== null && !this.oneIn(8) ? known.lease : null;
    return {
      ...head,
      actor: LEASED.has(action) && lease !== null ? lease.holder : head.actor,
      request: {
        task_id: known.id,
        action,
        comment: head.tag,
        payload: this.payload(action, head.tag, known),
        expected_row_version: version,
        lease_token: lease?.token ?? crypto.randomUUID(),
      },
    };
  }

  /** Picks a task for which the action may succeed, and sometimes any task. */
  private taskFor(action: string): KnownTask {
    const all = [...this.tasks.values()];
    const fitting = all.filter(
      ({ lease, holds }) =>
        (!LEASED.has(action) || lease !== null) && (action !== "free" || holds.length > 0),
    );
    return this.pick(fitting.length === 0 || this.oneIn(6) ? all : fitting);
  }

  private payload(action: string, tag: string, { holds }: KnownTask): JsonObject {
    if (action === "paint") return this.oneIn(4) ? {} : { color: this.pick(COLORS) };
    if (action === "note") return { text: tag };
    if (action === "hold") return { hold_id: crypto.randomUUID() };
    if (action === "free") return { hold_id: holds.length > 0 ? this.pick(holds) : crypto.randomUUID() };
    if (action === "reserve") return { slot: this.below(3) };
    if (action === "spawn") return { title: `${tag} child` };
    return {};
  }

  /** Repeats an earlier request with its key, or uses the key for something else. */
  private repetition(): Planned {
    const { answer, wave: _, ...earlier } = this.pick(this.keyed);
    if (this.oneIn(3)) {
      const accepted = answer.kind !== "refused" && !(answer.kind === "claimed" && answer.tasks.length === 0);
      const used = accepted || earlier.conflicts;
      const { client_event_id } = earlier;
      const other = this.oneIn(2) ? this.claim() : this.command();
      return { ...other, client_event_id, conflicts: used };
    }
    const { request } = earlier;
    const again = "expected_row_version" in request ? { ...request, expected_row_version: null } : request;
    return { ...earlier, request: again };
  }
}
