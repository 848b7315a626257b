import { randomUUID } from "node:crypto";
import { PawlProblem } from "../../../../client/index.ts";
import type { Calls } from "../../../../client/index.ts";
import { retryUntilAnswered } from "../../../../worker/index.ts";
import type { DELIVERY_ROUTES } from "../../api.ts";
import type { TokenStore } from "./yandex-tokens.ts";

/** Stores tokens in the server's database, for the processes of all machines. */
export function serverTokenStore(calls: Calls<typeof DELIVERY_ROUTES>): TokenStore {
  const holder = randomUUID();
  return {
    read: (id) => calls.readStorageToken({ id }),
    lock: async (id, revision) => (await calls.lockStorageToken({ id, revision, holder })).locked,
    // Retried for as long as it takes: the tokens that were refreshed are used up.
    write: (id, revision, sealed) =>
      retryUntilAnswered(
        () => calls.saveStorageToken({ id, revision, sealed }),
        new AbortController().signal,
      ).catch(ignoreSaved),
    unlock: (id) => calls.unlockStorageToken({ id, holder }),
  };
}

/** An earlier try has saved them, and its answer was lost. */
function ignoreSaved(error: unknown): void {
  if (!(error instanceof PawlProblem && error.code === "VERSION_CONFLICT")) throw error;
}
