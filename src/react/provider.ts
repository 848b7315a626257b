import { createContext, createElement, useContext, useMemo, useSyncExternalStore } from "react";
import type { FunctionComponent, ReactNode } from "react";
import type { AnyClient, Client } from "../client/create-client.ts";
import type { FeedEvent } from "../client/feed.ts";
import type { SomeLifecycle } from "../client/lifecycle.ts";
import { ChatFeeds } from "./chat-feeds.ts";
import { LiveFeed } from "./live-feed.ts";
import { LiveQuery } from "./live-query.ts";
import type { Known, Question } from "./live-query.ts";

type Given = { client: AnyClient; feed: LiveFeed<FeedEvent>; chats: ChatFeeds };

const Context = createContext<Given | null>(null);

/** Gives a client, and one stream of events, to all below it. */
export const PawlProvider: FunctionComponent<{ client: AnyClient; children?: ReactNode }> = ({
  client,
  children,
}) => {
  const value = useMemo(
    () => ({ client, feed: new LiveFeed(client.events), chats: new ChatFeeds(client.chats) }),
    [client],
  );
  return createElement(Context.Provider, { value }, children);
};

export function usePawl(): Given {
  const value = useContext(Context);
  if (!value) throw new Error("There is no <PawlProvider> above this component.");
  return value;
}

/** The client that was given to the provider, and knows what that knew: `useClient<typeof ticket>()`. */
export function useClient<Known extends SomeLifecycle = SomeLifecycle>(): Client<Known> {
  return usePawl().client as Client<Known>;
}

export type Live<T> = Known<T> & { readonly refetch: () => void };

/** The answer to a question about tasks, as it changes. What is asked is told apart by `key`. */
export function useLive<T>(key: string, question: (client: AnyClient) => Question<T, FeedEvent>): Live<T> {
  const { client, feed } = usePawl();
  return useLiveOn(feed, key, () => question(client));
}

/** The same, by the events of another feed. */
export function useLiveOn<T, Event>(
  feed: LiveFeed<Event>,
  key: string,
  question: () => Question<T, Event>,
): Live<T> {
  const query = useMemo(() => new LiveQuery(question(), feed), [feed, key]);
  return { ...useSyncExternalStore(query.subscribe, query.get, query.get), refetch: query.refetch };
}
