import { setTimeout as pause } from "node:timers/promises";
import { DeliveryFault, faultOf } from "../faults.ts";
import { withTimeLimit } from "../with-time-limit.ts";
import { TokenSealer } from "./token-sealer.ts";

export type YandexAccount = {
  accessToken: string;
  refreshToken: string | null;
  clientId: string | null;
  clientSecret: string | null;
  /** Address at which tokens are refreshed. */
  oauthUrl: string;
};

/** Stores encrypted tokens; shared by all processes, on any machine. */
export type TokenStore = {
  read: (id: string) => Promise<{ revision: number; sealed: string | null }>;
  /** Locks a revision for a refresh; false if it is not the stored one, or another process refreshes it. */
  lock: (id: string, revision: number) => Promise<boolean>;
  /** Replaces the locked revision. */
  write: (id: string, revision: number, sealed: string) => Promise<unknown>;
  unlock: (id: string) => Promise<unknown>;
};

type TokenPair = { access_token: string; refresh_token: string };
type StoredTokens = TokenPair & { revision: number };

const REFRESH_TIMEOUT_MS = 30_000;
/** Interval at which a process looks for tokens that another one refreshes, until that one must have given up. */
const LOCK_POLL_INTERVAL_MS = 200;
const LOCK_TIMEOUT_MS = 2 * REFRESH_TIMEOUT_MS;

/** The access token of the storage. A refresh returns a new pair of tokens, which all processes use. */
export class YandexTokens {
  private readonly account: YandexAccount;
  private readonly store: TokenStore;
  private readonly sealer: TokenSealer;
  private current: Promise<StoredTokens> | null = null;
  private refreshing: Promise<StoredTokens> | null = null;

  constructor(account: YandexAccount, store: TokenStore) {
    this.account = account;
    this.store = store;
    this.sealer = new TokenSealer(account);
  }

  async access(): Promise<string> {
    return (await this.loadOnce()).access_token;
  }

  /** Returns a new token for a refused one, or throws SOURCE_TOKEN_INVALID. Concurrent callers share one refresh. */
  async replace(refused: string): Promise<string> {
    const current = await this.loadOnce();
    if (current.access_token !== refused) return current.access_token;
    this.refreshing ??= this.refreshOnce(refused).finally(() => {
      this.refreshing = null;
    });
    return (await this.refreshing).access_token;
  }

  private loadOnce(): Promise<StoredTokens> {
    this.current ??= this.load().catch((error: unknown) => {
      this.current = null;
      throw error;
    });
    return this.current;
  }

  /** Refreshes under a lock: all processes are refused at the same time, and only one can use the refresh token. */
  private async refreshOnce(refused: string): Promise<StoredTokens> {
    const { id } = this.sealer;
    for (let waitedMs = 0; waitedMs < LOCK_TIMEOUT_MS; waitedMs += LOCK_POLL_INTERVAL_MS) {
      const stored = await this.load();
      if (stored.access_token !== refused) return this.use(stored);
      if (await this.store.lock(id, stored.revision)) return this.use(await this.refreshLocked(stored));
      await pause(LOCK_POLL_INTERVAL_MS);
    }
    throw new DeliveryFault({ side: "storage", network: "timeout" });
  }

  private async refreshLocked({ revision, ...pair }: StoredTokens): Promise<StoredTokens> {
    const { id } = this.sealer;
    try {
      const fresh = await this.refresh(pair);
      await this.store.write(id, revision, this.sealer.seal(JSON.stringify(fresh)));
      return { ...fresh, revision: revision + 1 };
    } catch (error) {
      // If this fails too, the lock expires.
      await this.store.unlock(id).catch(() => undefined);
      throw error;
    }
  }

  private use(tokens: StoredTokens): StoredTokens {
    this.current = Promise.resolve(tokens);
    return tokens;
  }

  private async refresh({ refresh_token }: TokenPair): Promise<TokenPair> {
    const { clientId, clientSecret, oauthUrl } = this.account;
    if (refresh_token === "" || clientId === null || clientSecret === null)
      throw invalidToken(
        "cannot be refreshed without PAWL_YANDEX_DISK_REFRESH_TOKEN, PAWL_YANDEX_CLIENT_ID and PAWL_YANDEX_CLIENT_SECRET",
      );
    const limit = { ms: REFRESH_TIMEOUT_MS, side: "storage", signal: new AbortController().signal } as const;
    const { response, answer } = await withTimeLimit(limit, async (signal) => {
      const response = await fetch(`${oauthUrl}/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token,
          client_id: clientId,
          client_secret: clientSecret,
        }),
        signal,
      });
      return { response, answer: (await response.json().catch(() => ({}))) as Partial<TokenPair> };
    }).catch(throwFault);
    if (response.status >= 500 || response.status === 429)
      throw new DeliveryFault({ side: "storage", status: response.status });
    if (!response.ok || !answer.access_token) throw invalidToken("the refresh was refused");
    const { access_token, refresh_token: next = refresh_token } = answer;
    return { access_token, refresh_token: next };
  }

  /** Loads the refreshed tokens; without them, the configured ones. */
  private async load(): Promise<StoredTokens> {
    const { accessToken, refreshToken } = this.account;
    const { revision, sealed } = await this.store.read(this.sealer.id);
    const stored =
      sealed === null ? null : (JSON.parse(this.sealer.open(sealed) ?? "null") as TokenPair | null);
    return { ...(stored ?? { access_token: accessToken, refresh_token: refreshToken ?? "" }), revision };
  }
}

function invalidToken(detail: string): DeliveryFault {
  return new DeliveryFault(
    { side: "storage", status: 401 },
    { detail: `the token is invalid, and ${detail}` },
  );
}

function throwFault(error: unknown): never {
  throw faultOf(error, "storage");
}
