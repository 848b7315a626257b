import type { Client } from "../client/index.ts";
import type { ReplyOf, ROUTES } from "../api/index.ts";
import type { RecentClaims } from "./recent-claims.ts";

export type Task = ReplyOf<typeof ROUTES.getTask>;
export type Explained = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type JournalEntry = ReplyOf<typeof ROUTES.listTaskEvents>["events"][number];
export type LifecycleBrief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];
export type LifecycleTold = ReplyOf<typeof ROUTES.describeLifecycle>;
type Me = ReplyOf<typeof ROUTES.getMe>;

/** What a tool stands on: the caller's own client, so that it sees and does what his token allows and nothing else. */
export type Desk = {
  readonly client: Client;
  /** Ends with the call: its caller has hung up, or the server stops. */
  readonly signal: AbortSignal;
  readonly me: () => Promise<Me>;
  readonly lifecycle: (name: string) => Promise<LifecycleTold>;
  readonly claims: RecentClaims<Task>;
  readonly now: () => number;
};

export type DeskOptions = Pick<Desk, "client" | "signal" | "claims" | "now">;

/** A desk for one call; what it has asked once it does not ask again. */
export function openDesk(options: DeskOptions): Desk {
  const { client, signal } = options;
  const lifecycles = new Map<string, Promise<LifecycleTold>>();
  let me: Promise<Me> | undefined;
  return {
    ...options,
    me: () => (me ??= client.getMe(undefined, { signal })),
    lifecycle: (name) => {
      const asked = lifecycles.get(name) ?? client.describeLifecycle({ name }, { signal });
      lifecycles.set(name, asked);
      return asked;
    },
  };
}

/** How far the org's feed has come: from here on nothing is missed by whoever waits for changes. */
export async function readPosition({ client, signal }: Pick<Desk, "client" | "signal">): Promise<number> {
  const found = new AbortController();
  let position = 0;
  const listening = client.events({
    signal: AbortSignal.any([signal, found.signal]),
    onPosition: (at) => {
      position = at;
      found.abort();
    },
  });
  // Nothing comes before the position does.
  for await (const event of listening) return event.position;
  signal.throwIfAborted();
  return position;
}
