import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DeliveryFault, faultOf } from "../faults.ts";
import { SOURCE_TOKEN_INVALID } from "../../lifecycle.ts";
import { withinTime } from "../within-time.ts";

export type YandexAccount = {
  accessToken: string;
  refreshToken: string | null;
  clientId: string | null;
  clientSecret: string | null;
  /** Where tokens are refreshed. */
  oauthUrl: string;
};

/** A place for what was refreshed, shared by the processes of a machine; its contents are secret. */
export type TokenStore = { read: () => Promise<string | null>; write: (text: string) => Promise<void> };

type Kept = { of: string; access_token: string; refresh_token: string };

const PATIENCE_MS = 30_000;
/** How long another process may take to write down what it was given. */
const LOOK_EVERY_MS = 100;
const MOST_LOOKS = 20;

/** The token by which the storage lets us in; a refresh gives a new pair, which is kept. */
export class YandexTokens {
  private readonly account: YandexAccount;
  private readonly store: TokenStore;
  private current: Promise<Kept>;
  private refreshing: Promise<Kept> | null = null;

  constructor(account: YandexAccount, store: TokenStore) {
    this.account = account;
    this.store = store;
    this.current = this.recall();
  }

  async access(): Promise<string> {
    return (await this.current).access_token;
  }

  /** Another token than the one that was refused, or SOURCE_TOKEN_INVALID. Many who ask at once share one refresh. */
  async insteadOf(refused: string): Promise<string> {
    const known = await this.current;
    if (known.access_token !== refused) return known.access_token;
    this.refreshing ??= this.renew(known).finally(() => {
      this.refreshing = null;
    });
    return (await this.refreshing).access_token;
  }

  private async renew(known: Kept): Promise<Kept> {
    // Another process may have been faster: the refresh token that we know would then be used up.
    const kept = await this.recall();
    const fresh =
      kept.access_token === known.access_token
        ? await this.refresh(kept).catch((error: unknown) => this.refreshedElsewhere(known, error))
        : kept;
    this.current = Promise.resolve(fresh);
    return fresh;
  }

  /** All processes are refused at the same moment, and one of them uses the refresh token up: the others find what it got. */
  private async refreshedElsewhere(known: Kept, error: unknown): Promise<Kept> {
    const refused = error instanceof DeliveryFault && error.code === SOURCE_TOKEN_INVALID;
    for (let looks = 0; refused && known.refresh_token !== "" && looks < MOST_LOOKS; looks++) {
      const kept = await this.recall();
      if (kept.access_token !== known.access_token) return kept;
      await pause(LOOK_EVERY_MS);
    }
    throw error;
  }

  private async refresh({ of, refresh_token }: Kept): Promise<Kept> {
    const { clientId, clientSecret, oauthUrl } = this.account;
    if (refresh_token === "" || clientId === null || clientSecret === null)
      throw invalid("there is no refresh token");
    const limit = { ms: PATIENCE_MS, side: "storage", signal: new AbortController().signal } as const;
    const { response, answer } = await withinTime(limit, async (signal) => {
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
      return { response, answer: (await response.json().catch(() => ({}))) as Partial<Kept> };
    }).catch(rethrown);
    if (response.status >= 500 || response.status === 429)
      throw new DeliveryFault({ side: "storage", status: response.status });
    if (!response.ok || !answer.access_token) throw invalid("a refresh was refused");
    const { access_token, refresh_token: next = refresh_token } = answer;
    const fresh = { of, access_token, refresh_token: next };
    await this.store.write(JSON.stringify(fresh));
    return fresh;
  }

  /** What was refreshed before, unless the settings have other tokens since then. */
  private async recall(): Promise<Kept> {
    const { accessToken, refreshToken } = this.account;
    const of = createHash("sha256")
      .update(`${accessToken}\n${refreshToken ?? ""}`)
      .digest("base64url");
    const given = { of, access_token: accessToken, refresh_token: refreshToken ?? "" };
    try {
      const kept = JSON.parse((await this.store.read()) ?? "null") as Kept | null;
      return kept?.of === of ? kept : given;
    } catch {
      return given;
    }
  }
}

function invalid(detail: string): DeliveryFault {
  return new DeliveryFault(
    { side: "storage", status: 401 },
    { detail: `the token is invalid, and ${detail}` },
  );
}

function rethrown(error: unknown): never {
  throw faultOf(error, "storage");
}
