import type { Api } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import { retryDelayMs, sleep } from "../../../std/retry.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { BOT_TOKEN_INVALID } from "../outage-codes.ts";
import { faultOf } from "../worker/faults.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import type { FailureDigest, Screen, Screens } from "./screens.ts";

type NoticeSender = {
  api: Api;
  calls: DeliveryCalls;
  screens: Screens;
  admins: readonly string[];
  log: Log;
  intervalMs: number;
};
type Notice = Awaited<ReturnType<DeliveryCalls["takeDeliveryNotices"]>>["notices"][number];

/** Sends pending notices to users and admins until the signal aborts. */
export async function sendNotices(sender: NoticeSender, signal: AbortSignal): Promise<void> {
  const { intervalMs, log } = sender;
  for (let failures = 0; !signal.aborted;) {
    try {
      await sendPending(sender);
      failures = 0;
    } catch (error) {
      // Logged once per outage.
      if (failures++ === 0) log.warn(redactedError(error), "sending notices failed; retrying");
    }
    await sleep(Math.max(intervalMs, failures && retryDelayMs(failures)), signal).catch(() => undefined);
  }
}

async function sendPending(sender: NoticeSender): Promise<void> {
  const { calls, log } = sender;
  for (;;) {
    const { notices } = await calls.takeDeliveryNotices({ limit: 20 });
    for (const notice of notices) {
      const sent = await sendNotice(sender, notice);
      // An unsettled notice is offered again after a minute.
      if (sent) await calls.settleDeliveryNotice({ id: notice.id }).catch(ignoreSettled);
      else log.warn({ kind: notice.kind }, "a notice could not be sent; it will be retried");
    }
    if (notices.length < 20) return;
  }
}

/** Sends a notice; returns whether it is settled. */
async function sendNotice(sender: NoticeSender, notice: Notice): Promise<boolean> {
  const { admins, log, api } = sender;
  const screen = await screenFor(sender, notice);
  if (screen === null) return true;
  const chats = notice.user_id === null ? admins : [notice.user_id];
  const results = await Promise.all(
    chats.map(async (chat): Promise<"sent" | "refused" | "retry"> => {
      try {
        await api.sendMessage(chat, screen.text, { reply_markup: { inline_keyboard: screen.buttons } });
        return "sent";
      } catch (error) {
        const { code, retryable } = faultOf(error, "telegram");
        log.warn({ code, kind: notice.kind }, "Telegram rejected a notice");
        // A rejected token concerns the bot, not the chat: the notice is sent with the new token.
        return retryable || code === BOT_TOKEN_INVALID ? "retry" : "refused";
      }
    }),
  );
  // One reached admin is enough: a retry would send the notice to the others twice.
  return results.includes("sent") || !results.includes("retry");
}

async function screenFor({ screens, calls }: NoticeSender, { kind, params }: Notice): Promise<Screen | null> {
  const { texts } = screens;
  const { title, code, user_id, name, reason } = params as Record<string, string>;
  const until = () => screens.moment(params.access_until as number);
  switch (kind) {
    case "job_failed":
      return screens.message(texts.failed(title ?? "", screens.reason(code ?? null)));
    case "job_expired":
      return screens.message(texts.jobExpired(title ?? ""));
    case "access_granted":
      return screens.message(texts.granted(until()));
    case "access_extended":
      return screens.message(texts.extended(until()));
    case "access_ending":
      return screens.message(texts.ending(until()));
    case "source_needs_admin":
      return screens.message(texts.sourceNeedsAdmin(reason ?? ""));
    case "outage":
      return screens.message(texts.outage(reason ?? "", code ?? ""));
    case "jobs_failed":
      return screens.failureDigest(params as FailureDigest);
    case "user_access_ending":
      return screens.decision(texts.userEnding(name ?? "", user_id ?? "", until()), user_id ?? "", [
        "extend",
      ]);
    case "access_requested": {
      // Another admin may have decided meanwhile.
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

/** Another bot has settled it already. */
function ignoreSettled(error: unknown): void {
  if (!(error instanceof PawlProblem && error.status === 404)) throw error;
}
