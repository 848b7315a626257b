import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DeliveryFault, faultOf } from "../faults.ts";
import { SOURCE_TOKEN_INVALID } from "../../lifecycle.ts";
import { withTimeLimit } from "../with-time-limit.ts";

export type YandexAccount = {
  accessToken: string;
  refreshToken: string | null;
  clientId: string | null;
  clientSecret: string | null;
  /** Address at which tokens are refreshed. */
  oauthUrl: string;
};

/** Stores a secret, such as refreshed tokens; shared by the processes of a machine. */
export type TokenStore = { read: () => Promise<string | null>; write: (text: string) => Promise<void> };

type StoredTokens = { of: string; access_token: string; refresh_token: string };

const REFRESH_TIMEOUT_MS = 30_000;
/** Polls the store for tokens that another process has refreshed, for at most 2 seconds. */
const STORE_POLL_INTERVAL_MS = 100;
const MAX_STORE_POLLS = 20;

/** The access token of the storage. A refresh returns a new pair of tokens, which is stored. */
export class YandexTokens {
  private readonly account: YandexAccount;
  private readonly store: TokenStore;
  private current: Promise<StoredTokens>;
  private refreshing: Promise<StoredTokens> | null = null;

  constructor(account: YandexAccount, store: TokenStore) {
    this.account = account;
    this.store = store;
    this.current = this.load();
  }

  async access(): Promise<string> {
    return (await this.current).access_token;
  }

  /** Returns a new token for a refused one, or throws SOURCE_TOKEN_INVALID. Concurrent callers share one refresh. */
  async replace(refused: string): Promise<string> {
    const current = await this.current;
    if (current.access_token !== refused) return current.access_token;
    this.refreshing ??= this.refreshOnce(current).finally(() => {
      this.refreshing = null;
    });
    return (await this.refreshing).access_token;
  }

  private async refreshOnce(current: StoredTokens): Promise<StoredTokens> {
    // Another process may have refreshed already; a refresh token can be used only once.
    const stored = await this.load();
    const fresh =
      stored.access_token === current.access_token
        ? await this.refresh(stored).catch((error: unknown) => this.waitForOtherRefresh(current, error))
        : stored;
    this.current = Promise.resolve(fresh);
    return fresh;
  }

  /** All processes are refused at the same time, and only one can use the refresh token; the others wait for its result. */
  private async waitForOtherRefresh(current: StoredTokens, error: unknown): Promise<StoredTokens> {
    const refused = error instanceof DeliveryFault && error.code === SOURCE_TOKEN_INVALID;
    for (let polls = 0; refused && current.refresh_token !== "" && polls < MAX_STORE_POLLS; polls++) {
      const stored = await this.load();
      if (stored.access_token !== current.access_token) return stored;
      await pause(STORE_POLL_INTERVAL_MS);
    }
    throw error;
  }

  private async refresh({ of, refresh_token }: StoredTokens): Promise<StoredTokens> {
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
      return { response, answer: (await response.json().catch(() => ({}))) as Partial<StoredTokens> };
    }).catch(throwFault);
    if (response.status >= 500 || response.status === 429)
      throw new DeliveryFault({ side: "storage", status: response.status });
    if (!response.ok || !answer.access_token) throw invalidToken("the refresh was refused");
    const { access_token, refresh_token: next = refresh_token } = answer;
    const fresh = { of, access_token, refresh_token: next };
    await this.store.write(JSON.stringify(fresh));
    return fresh;
  }

  /** Loads the refreshed tokens, unless the settings have changed since then. */
  private async load(): Promise<StoredTokens> {
    const { accessToken, refreshToken } = this.account;
    const of = createHash("sha256")
      .update(`${accessToken}\n${refreshToken ?? ""}`)
      .digest("base64url");
    const configured = { of, access_token: accessToken, refresh_token: refreshToken ?? "" };
    try {
      const stored = JSON.parse((await this.store.read()) ?? "null") as StoredTokens | null;
      return stored?.of === of ? stored : configured;
    } catch {
      return configured;
    }
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
