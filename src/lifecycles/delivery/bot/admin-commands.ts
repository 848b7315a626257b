import type { Composer, Context } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import { FINAL_STATUSES } from "../api.ts";
import type { DeliveryUser } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { faultOf } from "../worker/faults.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { decodeAction } from "./buttons.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Screen, Screens } from "./screens.ts";

type Decision = "approve" | "extend" | "block";

type AdminDeps = {
  calls: DeliveryCalls;
  screens: Screens;
  catalogue: Catalogue;
  admins: readonly string[];
  log: Log;
  now?: () => number;
  show: (ctx: Context, screen: Screen) => Promise<void>;
};

/** Fits into one message even with the longest names. */
const USERS_PER_PAGE = 15;

const AUDITED_JOBS = 15;

const DECISIONS = ["approve", "extend", "block"] as const;

/** Adds the commands of admins: list, approve, extend, block, stats, audit, sync. To other users these commands are unknown. */
export function addAdminCommands<C extends Context>(privateChat: Composer<C>, deps: AdminDeps): void {
  const { admins, screens, show } = deps;
  const adminChat = privateChat.filter((ctx) => admins.includes(String(ctx.from?.id)));
  adminChat.command("stats", (ctx) => showStats(ctx, deps));
  adminChat.command("audit", async (ctx) => {
    const { jobs } = await deps.calls.listDeliveryJobs({ status: [...FINAL_STATUSES], limit: AUDITED_JOBS });
    await show(ctx, screens.audit(jobs));
  });
  adminChat.command("sync", (ctx) => startSync(ctx, deps));
  adminChat.command("users", (ctx) => listUsers(ctx, deps, ctx.match));
  for (const decision of DECISIONS)
    adminChat.command(decision, async (ctx) => {
      const [id = "", days] = ctx.match.split(/\s+/);
      if (!/^\d{1,20}$/.test(id) || (days !== undefined && !/^\d{1,5}$/.test(days))) {
        await ctx.reply(
          screens.texts.usage(decision === "block" ? "/block 123456" : `/${decision} 123456 30`),
        );
        return;
      }
      const duration = days === undefined ? {} : { days: Number(days) };
      // An update can be delivered twice, so its id is part of the idempotency key.
      const key = `${decision}:${ctx.update.update_id}:${ctx.from?.id ?? ""}`;
      await show(ctx, screens.message(await decide(deps, ctx, decision, { id, key, ...duration })));
    });
  adminChat.on("callback_query:data", async (ctx, next) => {
    const action = decodeAction(ctx.callbackQuery.data);
    const decision = DECISIONS.find((one) => one === action?.kind);
    if (!decision || !action || !("user_id" in action)) return next();
    const text = await decide(deps, ctx, decision, {
      id: action.user_id,
      key: `${decision}:${action.nonce}`,
    });
    await show(ctx, screens.message(text));
    await ctx.answerCallbackQuery().catch(() => undefined);
  });
}

async function showStats(ctx: Context, { calls, screens, show, now = Date.now }: AdminDeps): Promise<void> {
  const [status, { users }] = await Promise.all([
    calls.getDeliveryStatus(),
    calls.listDeliveryUsers({ status: ["PENDING"], limit: 200 }),
  ]);
  await show(ctx, screens.stats(status, users.length, now()));
}

/** Scans the storage in the background: a large one takes minutes, and the bot must answer meanwhile. */
async function startSync(ctx: Context, { calls, catalogue, screens, log }: AdminDeps): Promise<void> {
  const { texts } = screens;
  await ctx.reply(texts.syncing);
  const report = async () => {
    const text = await catalogue.sync().then(
      async () => texts.synced((await calls.listDeliveryFiles({ q: "", limit: 1 })).total),
      (error: unknown) => texts.syncFailed(faultOf(error, "storage").code),
    );
    await ctx.reply(text);
  };
  void report().catch((error: unknown) => {
    log.warn(redactedError(error), "the result of a scan could not be sent");
  });
}

/** Performs a decision; returns the text for the admin. */
async function decide(
  { calls, screens }: AdminDeps,
  ctx: Context,
  decision: Decision,
  { id, key, days }: { id: string; key: string; days?: number },
): Promise<string> {
  const sent = { id, decided_by: String(ctx.from?.id), client_event_id: key };
  const timed = days === undefined ? sent : { ...sent, days };
  const callFor: Record<Decision, () => Promise<DeliveryUser>> = {
    approve: () => calls.approveDeliveryUser(timed),
    extend: () => calls.extendDeliveryUser(timed),
    block: () => calls.blockDeliveryUser(sent),
  };
  try {
    return screens.user(await callFor[decision]());
  } catch (error) {
    if (!(error instanceof PawlProblem)) throw error;
    if (error.status === 404) return screens.texts.noSuchUser(id);
    if (error.code === "USER_NOT_ACTIVE") return screens.texts.approveFirst(id);
    throw error;
  }
}

/** Lists users in one message, and sends one message with buttons for each waiting user. */
async function listUsers(ctx: Context, { calls, screens, show }: AdminDeps, cursor: string): Promise<void> {
  const { users: waiting } = await calls.listDeliveryUsers({ status: ["PENDING"], limit: 20 });
  const { users, cursor: next } = await calls.listDeliveryUsers({
    status: ["ACTIVE", "EXPIRED", "BLOCKED"],
    limit: USERS_PER_PAGE,
    ...(/^\d+$/.test(cursor) ? { cursor } : {}),
  });
  const { texts } = screens;
  if (waiting.length + users.length === 0) {
    await ctx.reply(texts.noUsers);
    return;
  }
  const more = next === null ? [] : [`/users ${next}`];
  await show(
    ctx,
    screens.message(
      [...users.map((user) => screens.user(user)), ...more].join("\n") || texts.users(waiting.length),
    ),
  );
  for (const user of waiting)
    await show(ctx, screens.decision(screens.user(user), user.id, ["approve", "block"]));
}
