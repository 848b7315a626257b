import type { Api } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import { retryDelayMs, sleep } from "../../../std/retry.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { faultOf } from "../worker/faults.ts";
import { tellable } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import type { Screen, Screens } from "./screens.ts";

type Teller = {
  api: Api;
  calls: DeliveryCalls;
  screens: Screens;
  admins: readonly string[];
  log: Log;
  everyMs: number;
};
type Notice = Awaited<ReturnType<DeliveryCalls["takeDeliveryNotices"]>>["notices"][number];

/** Says what is owed to users and admins, for as long as it is let. */
export async function tellNotices(teller: Teller, signal: AbortSignal): Promise<void> {
  const { everyMs, log } = teller;
  for (let failures = 0; !signal.aborted;) {
    try {
      await tellOnce(teller);
      failures = 0;
    } catch (error) {
      // Said once, however long it lasts.
      if (failures++ === 0) log.warn(tellable(error), "notices could not be told; they will be");
    }
    await sleep(Math.max(everyMs, failures && retryDelayMs(failures)), signal).catch(() => undefined);
  }
}

async function tellOnce(teller: Teller): Promise<void> {
  const { calls, log } = teller;
  for (;;) {
    const { notices } = await calls.takeDeliveryNotices({ limit: 20 });
    for (const notice of notices) {
      const told = await tell(teller, notice);
      // What could not be said now is given out again in a minute.
      if (told) await calls.settleDeliveryNotice({ id: notice.id }).catch(unlessSettled);
      else log.warn({ kind: notice.kind }, "a notice could not be told yet");
    }
    if (notices.length < 20) return;
  }
}

/** Whether there is nothing left to say. */
async function tell(teller: Teller, notice: Notice): Promise<boolean> {
  const { admins, log, api } = teller;
  const screen = await wordsFor(teller, notice);
  if (screen === null) return true;
  const chats = notice.user_id === null ? admins : [notice.user_id];
  const told = await Promise.all(
    chats.map(async (chat) => {
      try {
        await api.sendMessage(chat, screen.text, { reply_markup: { inline_keyboard: screen.buttons } });
        return true;
      } catch (error) {
        const { code, retryable } = faultOf(error, "telegram");
        log.warn({ code, kind: notice.kind }, "a notice was not taken");
        // Who has blocked the bot does not want to know.
        return !retryable;
      }
    }),
  );
  // Admins are many: who was told is not told again because another was out of reach.
  return notice.user_id === null ? chats.length === 0 || told.includes(true) : told.every(Boolean);
}

async function wordsFor({ screens, calls }: Teller, { kind, params }: Notice): Promise<Screen | null> {
  const { texts } = screens;
  const { title, code, user_id, name, reason } = params as Record<string, string>;
  const until = () => screens.moment(params.access_until as number);
  switch (kind) {
    case "job_failed":
      return screens.said(texts.failed(title ?? "", screens.reason(code ?? null)));
    case "job_expired":
      return screens.said(texts.jobExpired(title ?? ""));
    case "access_granted":
      return screens.said(texts.granted(until()));
    case "access_extended":
      return screens.said(texts.extended(until()));
    case "access_ending":
      return screens.said(texts.ending(until()));
    case "source_needs_admin":
      return screens.said(texts.sourceNeedsAdmin(reason ?? ""));
    case "user_access_ending":
      return screens.decision(texts.userEnding(name ?? "", user_id ?? "", until()), user_id ?? "", [
        "extend",
      ]);
    case "access_requested": {
      // Somebody may have decided meanwhile.
      const { status } = await calls.getDeliveryUser({ id: user_id ?? "" });
      if (status === "PENDING")
        return screens.decision(texts.wantsAccess(name ?? "", user_id ?? ""), user_id ?? "", [
          "approve",
          "block",
        ]);
      if (status === "EXPIRED")
        return screens.decision(texts.wantsMore(name ?? "", user_id ?? ""), user_id ?? "", [
          "extend",
          "block",
        ]);
      return null;
    }
  }
}

/** Another bot was faster. */
function unlessSettled(error: unknown): void {
  if (!(error instanceof PawlProblem && error.status === 404)) throw error;
}
