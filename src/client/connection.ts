/** How to reach a server. */
export type ConnectionOptions = {
  /** The server's URL, such as `http://127.0.0.1:4747`, or a path on the page's own origin. */
  url: string;
  /** A member's token; without one, only public routes answer. */
  token?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Ends every call and every stream of this client. */
  signal?: AbortSignal | undefined;
};

/** The URL, headers and fetch function of a client. */
export type Connection = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | undefined;
};

/** Validates the options: an invalid URL or token throws here instead of failing every call as a network error. */
export function createConnection({ url, token, fetch: own, signal }: ConnectionOptions): Connection {
  const { location } = globalThis as { location?: { href: string } };
  new URL(url, location?.href);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  new Headers(headers);
  return {
    url: url.replace(/\/+$/, ""),
    headers,
    // Call the global `fetch` as a plain function: browsers refuse it as a method of another object.
    fetch: own ?? ((input, init) => fetch(input, init)),
    signal,
  };
}

const CONNECTIONS = new WeakMap<object, Connection>();

/** Remembers the connection of a client outside of the client object, so that printing the client does not print its token. */
export function attachConnection<C extends object>(client: C, connection: Connection): C {
  CONNECTIONS.set(client, connection);
  return client;
}

/** Returns the connection of a client, for code that sends requests on its own: workers renew leases in a separate thread. */
export function connectionOf(client: object): Connection | undefined {
  return CONNECTIONS.get(client);
}
