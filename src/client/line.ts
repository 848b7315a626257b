/** How a server is reached. */
export type LineOptions = {
  /** Where the server is: `http://127.0.0.1:4747`, or a path on the page's own origin. */
  url: string;
  /** Of a member; without one only what is open to all is answered. */
  token?: string | undefined;
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined;
  /** Ends every call and every stream of this client. */
  signal?: AbortSignal | undefined;
};

export type Line = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | undefined;
};

/** A mistake in the options is told here, and not as a network that fails again and again. */
export function lineTo({ url, token, fetch: own, signal }: LineOptions): Line {
  const { location } = globalThis as { location?: { href: string } };
  new URL(url, location?.href);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  new Headers(headers);
  return {
    url: url.replace(/\/+$/, ""),
    headers,
    // Looked up when it is called, and called bare: browsers refuse a fetch that is a method of something else.
    fetch: own ?? ((input, init) => fetch(input, init)),
    signal,
  };
}

const LINES = new WeakMap<object, Line>();

/** Keeps in mind by which line a client speaks; its token stays out of what can be printed. */
export function rememberLine<Speaker extends object>(client: Speaker, line: Line): Speaker {
  LINES.set(client, line);
  return client;
}

/** The line of a client, for what must speak for it from elsewhere: a worker's heart beats in a thread of its own. */
export function lineOf(client: object): Line | undefined {
  return LINES.get(client);
}
