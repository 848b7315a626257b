import { createContext, createElement, useContext, useMemo, useSyncExternalStore } from "react";
import type { FunctionComponent, ReactNode } from "react";
import type { AnyClient, Client } from "../client/create-client.ts";
import type { FeedEvent } from "../client/feed.ts";
import type { SomeLifecycle } from "../client/lifecycle.ts";
import type { ListenOptions } from "../client/listen.ts";
import { LiveFeed } from "./live-feed.ts";
import { LiveQuery } from "./live-query.ts";
import type { Question, QueryState } from "./live-query.ts";

type PawlContext = { client: AnyClient; feed: LiveFeed<FeedEvent>; otherFeeds: Map<string, LiveFeed<never>> };

const Context = createContext<PawlContext | null>(null);

/** Provides a client and one stream of events to the components below it. */
export const PawlProvider: FunctionComponent<{ client: AnyClient; children?: ReactNode }> = ({
  client,
  children,
}) => {
  const value = useMemo(
    () => ({ client, feed: new LiveFeed(client.events), otherFeeds: new Map<string, LiveFeed<never>>() }),
    [client],
  );
  return createElement(Context.Provider, { value }, children);
};

function usePawl(): PawlContext {
  const value = useContext(Context);
  if (!value) throw new Error("There is no <PawlProvider> above this component. Wrap the app in one.");
  return value;
}

/** Returns the provider's client, typed by its lifecycles: `useClient<typeof ticket>()`. */
export function useClient<Known extends SomeLifecycle = SomeLifecycle>(): Client<Known> {
  return usePawl().client as Client<Known>;
}

/** A live answer; `refetch` fetches it again. */
export type Live<T> = QueryState<T> & { readonly refetch: () => void };

/** Returns the live answer to a query about tasks. `key` identifies the query: a new key starts a new one. */
export function useLive<T>(key: string, question: (client: AnyClient) => Question<T, FeedEvent>): Live<T> {
  const { client, feed } = usePawl();
  return useLiveOn(feed, key, () => question(client));
}

/** Returns a plugin's own stream: one connection for all components with the same key. */
export function useFeed<Event>(
  key: string,
  open: (client: AnyClient, options: ListenOptions) => AsyncIterable<Event>,
): LiveFeed<Event> {
  const { client, otherFeeds } = usePawl();
  const known = otherFeeds.get(key) as LiveFeed<Event> | undefined;
  if (known) return known;
  const feed = new LiveFeed<Event>((options) => open(client, options));
  otherFeeds.set(key, feed as LiveFeed<never>);
  return feed;
}

/** Returns the live answer to a query, kept up to date by the events of a feed. */
export function useLiveOn<T, Event>(
  feed: LiveFeed<Event>,
  key: string,
  question: () => Question<T, Event>,
): Live<T> {
  const query = useMemo(() => new LiveQuery(question(), feed), [feed, key]);
  return { ...useSyncExternalStore(query.subscribe, query.get, query.get), refetch: query.refetch };
}
