import type { Client } from "../client/index.ts";
import type { ReplyOf, ROUTES } from "../api/index.ts";
import type { RecentClaims } from "./recent-claims.ts";

export type Task = ReplyOf<typeof ROUTES.getTask>;
export type Explained = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type JournalEntry = ReplyOf<typeof ROUTES.listTaskEvents>["events"][number];
export type LifecycleBrief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];
export type DescribedLifecycle = ReplyOf<typeof ROUTES.describeLifecycle>;
type Me = ReplyOf<typeof ROUTES.getMe>;

/** Passed to a tool. Its client has the caller's token, so a tool can do only what the caller may do. */
export type ToolContext = {
  readonly client: Client;
  /** Aborts when the caller disconnects or the server stops. */
  readonly signal: AbortSignal;
  readonly me: () => Promise<Me>;
  readonly lifecycle: (name: string) => Promise<DescribedLifecycle>;
  readonly claims: RecentClaims<Task>;
  readonly now: () => number;
};

export type ToolContextOptions = Pick<ToolContext, "client" | "signal" | "claims" | "now">;

/** Creates the context of one call; it caches the caller and the lifecycles. */
export function createToolContext(options: ToolContextOptions): ToolContext {
  const { client, signal } = options;
  const lifecycles = new Map<string, Promise<DescribedLifecycle>>();
  let me: Promise<Me> | undefined;
  return {
    ...options,
    me: () => (me ??= client.getMe(undefined, { signal })),
    lifecycle: (name) => {
      const description = lifecycles.get(name) ?? client.describeLifecycle({ name }, { signal });
      lifecycles.set(name, description);
      return description;
    },
  };
}

/** Reads the current position of the org's feed; waiting for changes after it misses no event. */
export async function readPosition({
  client,
  signal,
}: Pick<ToolContext, "client" | "signal">): Promise<number> {
  const found = new AbortController();
  let position = 0;
  const listening = client.events({
    signal: AbortSignal.any([signal, found.signal]),
    onPosition: (at) => {
      position = at;
      found.abort();
    },
  });
  // The position arrives before the first event.
  for await (const event of listening) return event.position;
  signal.throwIfAborted();
  return position;
}
