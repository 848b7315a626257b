import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "./keys.ts";
import { live } from "./live.ts";
import { Outbox } from "./outbox.ts";
import { useMe } from "./queries.ts";

const OutboxContext = createContext<Outbox | null>(null);

/** Sends the member's unsent actions while the console is open, on any page. */
export function OutboxProvider({ children }: { children: ReactNode }) {
  const { org_id, id } = useMe();
  const queryClient = useQueryClient();
  const outbox = useMemo(
    () =>
      new Outbox({ org_id, id }, ({ lifecycle, task_id }) => {
        for (const queryKey of [keys.task(task_id), [...keys.all, "own", lifecycle], keys.overviews])
          void queryClient.invalidateQueries({ queryKey });
      }),
    [org_id, id, queryClient],
  );
  useEffect(() => outbox.start(), [outbox]);
  // The event stream notices earlier than the browser that the server answers again.
  useEffect(() => {
    let before = live.connection.state;
    return live.subscribe(() => {
      const { state } = live.connection;
      if (state === "live" && before !== "live") outbox.wake();
      before = state;
    });
  }, [outbox]);
  return <OutboxContext.Provider value={outbox}>{children}</OutboxContext.Provider>;
}

/**
 * The member's queue of actions, for screens that are used on a bad network. `add` stores an action with its idempotency key, and
 * sends it as soon as the network allows it, in order, once, also after the page was closed. The entries show what waits and what
 * was refused.
 */
export function useOutbox() {
  const outbox = useContext(OutboxContext);
  if (!outbox) throw new Error("useOutbox needs an <OutboxProvider> above");
  const state = useSyncExternalStore(outbox.subscribe, () => outbox.state);
  return {
    ...state,
    add: outbox.add.bind(outbox),
    discard: outbox.discard.bind(outbox),
    sendAgain: outbox.sendAgain.bind(outbox),
  };
}
