import { createContext, createElement, useContext, useMemo, useSyncExternalStore } from "react";
import type { FunctionComponent, ReactNode } from "react";
import type { AnyClient, Client } from "../create-client.ts";
import type { SomeLifecycle } from "../lifecycle.ts";
import { LiveFeed } from "./live-feed.ts";
import { LiveQuery } from "./live-query.ts";
import type { Known, Question } from "./live-query.ts";

type Given = { client: AnyClient; feed: LiveFeed };

const Context = createContext<Given | null>(null);

/** Gives a client, and one stream of events, to all below it. */
export const PawlProvider: FunctionComponent<{ client: AnyClient; children?: ReactNode }> = ({
  client,
  children,
}) => {
  const value = useMemo(() => ({ client, feed: new LiveFeed(client.events) }), [client]);
  return createElement(Context.Provider, { value }, children);
};

function usePawl(): Given {
  const value = useContext(Context);
  if (!value) throw new Error("There is no <PawlProvider> above this component.");
  return value;
}

/** The client that was given to the provider, and knows what that knew: `useClient<typeof ticket>()`. */
export function useClient<Known extends SomeLifecycle = SomeLifecycle>(): Client<Known> {
  return usePawl().client as Client<Known>;
}

export type Live<T> = Known<T> & { readonly refetch: () => void };

/** The answer to a question, as it changes. What is asked is told apart by `key`. */
export function useLive<T>(key: string, question: (client: AnyClient) => Question<T>): Live<T> {
  const { client, feed } = usePawl();
  const query = useMemo(() => new LiveQuery(question(client), feed), [client, feed, key]);
  return { ...useSyncExternalStore(query.subscribe, query.get, query.get), refetch: query.refetch };
}
