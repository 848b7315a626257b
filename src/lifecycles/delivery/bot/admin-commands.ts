import type { Composer, Context } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import type { DeliveryUser } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { readWish } from "./buttons.ts";
import type { Screen, Screens } from "./screens.ts";

type Decision = "approve" | "extend" | "block";

/** What deciding about users needs. */
type Desk = {
  calls: DeliveryCalls;
  screens: Screens;
  admins: readonly string[];
  show: (ctx: Context, screen: Screen) => Promise<void>;
};

/** As many as fit into one message with the longest names, and the way to the next ones below them. */
const USERS_PER_PAGE = 15;

const DECISIONS = ["approve", "extend", "block"] as const;

/** List, approve, extend, block: for admins; to others these commands are unknown. */
export function addAdminCommands<C extends Context>(people: Composer<C>, desk: Desk): void {
  const { admins, screens, show } = desk;
  const office = people.filter((ctx) => admins.includes(String(ctx.from?.id)));
  office.command("users", (ctx) => listUsers(ctx, desk, ctx.match));
  for (const decision of DECISIONS)
    office.command(decision, async (ctx) => {
      const [id = "", days] = ctx.match.split(/\s+/);
      if (!/^\d{1,20}$/.test(id) || (days !== undefined && !/^\d{1,5}$/.test(days))) {
        await ctx.reply(
          screens.texts.usage(decision === "block" ? "/block 123456" : `/${decision} 123456 30`),
        );
        return;
      }
      const given = days === undefined ? {} : { days: Number(days) };
      // Telegram may hear of a message twice, and so may we.
      const key = `${decision}:${ctx.update.update_id}:${ctx.from?.id ?? ""}`;
      await show(ctx, screens.said(await decide(desk, ctx, decision, { id, key, ...given })));
    });
  office.on("callback_query:data", async (ctx, next) => {
    const wish = readWish(ctx.callbackQuery.data);
    const decision = DECISIONS.find((one) => one === wish?.kind);
    if (!decision || !wish || !("user_id" in wish)) return next();
    const text = await decide(desk, ctx, decision, { id: wish.user_id, key: `${decision}:${wish.nonce}` });
    await show(ctx, screens.said(text));
    await ctx.answerCallbackQuery().catch(() => undefined);
  });
}

/** What became of it, as the admin is told. */
async function decide(
  { calls, screens }: Desk,
  ctx: Context,
  decision: Decision,
  { id, key, days }: { id: string; key: string; days?: number },
): Promise<string> {
  const sent = { id, decided_by: String(ctx.from?.id), client_event_id: key };
  const timed = days === undefined ? sent : { ...sent, days };
  const calling: Record<Decision, () => Promise<DeliveryUser>> = {
    approve: () => calls.approveDeliveryUser(timed),
    extend: () => calls.extendDeliveryUser(timed),
    block: () => calls.blockDeliveryUser(sent),
  };
  try {
    return screens.user(await calling[decision]());
  } catch (error) {
    if (!(error instanceof PawlProblem)) throw error;
    if (error.status === 404) return screens.texts.noSuchUser(id);
    if (error.code === "USER_NOT_ACTIVE") return screens.texts.approveFirst(id);
    throw error;
  }
}

/** Those who wait first, each with the buttons that fit. */
async function listUsers(ctx: Context, { calls, screens, show }: Desk, cursor: string): Promise<void> {
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
    screens.said(
      [...users.map((user) => screens.user(user)), ...more].join("\n") || texts.users(waiting.length),
    ),
  );
  for (const user of waiting)
    await show(ctx, screens.decision(screens.user(user), user.id, ["approve", "block"]));
}
