import { Bot, GrammyError } from "grammy";
import type { Context } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import { firstUnits } from "../../../core/index.ts";
import { FINAL_STATUSES, OPEN_STATUSES } from "../api.ts";
import type { DeliveryUser } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { tellable } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { addAdminCommands } from "./admin-commands.ts";
import { readWish } from "./buttons.ts";
import type { Wish } from "./buttons.ts";
import type { Catalogue } from "./catalogue.ts";
import { patiently } from "./patiently.ts";
import { PER_PAGE } from "./screens.ts";
import type { Screen, Screens } from "./screens.ts";

export type BotOptions = {
  token: string;
  /** Of a Bot API server. */
  apiUrl: string;
  calls: DeliveryCalls;
  catalogue: Catalogue;
  screens: Screens;
  /** Telegram's ids of those who decide about users. */
  admins: readonly string[];
  log: Log;
  now?: () => number;
};

const MOST_FOUND = 10;
const MOST_JOBS = 10;
const ADMIN_DAYS = 36_500;

/** The bot as a person meets it. It keeps nothing to itself: whichever process hears a tap, the same comes of it. */
export function buildBot(options: BotOptions): Bot {
  const { token, apiUrl, screens, log } = options;
  const bot = new Bot(token, { client: { apiRoot: apiUrl.replace(/\/+$/, "") } });
  bot.api.config.use(patiently());
  const hall = new Hall(options);
  // In a group everybody would see what one asks for.
  const people = bot.chatType("private");
  addAdminCommands(people, { ...options, show });
  people.command("start", (ctx) => hall.welcome(ctx));
  people.command("help", (ctx) => hall.help(ctx));
  people.command("status", (ctx) => hall.guarded(ctx, (user) => hall.showJobs(ctx, user)));
  people.command("search", (ctx) => hall.guarded(ctx, () => hall.search(ctx, ctx.match)));
  people.on("message:text", (ctx) => hall.guarded(ctx, () => hall.search(ctx, ctx.message.text)));
  // A picture, a voice: there is nothing to look for in it, but whoever is new is welcome all the same.
  people.on("message", (ctx) => hall.guarded(ctx, () => hall.search(ctx, "")));
  people.on("callback_query:data", async (ctx) => {
    const wish = readWish(ctx.callbackQuery.data);
    if (wish) await hall.fulfil(ctx, wish);
    else await answer(ctx);
  });
  bot.catch(async ({ error, ctx }) => {
    log.error(tellable(error), "a message could not be answered");
    if (ctx.callbackQuery) await answer(ctx, screens.texts.trouble);
    else if (ctx.chat?.type === "private") await ctx.reply(screens.texts.trouble).catch(() => undefined);
  });
  return bot;
}

class Hall {
  private readonly options: BotOptions;

  constructor(options: BotOptions) {
    this.options = options;
  }

  async welcome(ctx: Context): Promise<void> {
    const { calls } = this.options;
    const about = personIn(ctx);
    if (!about) return;
    const before = await this.find(about.id);
    const user = await this.entitled(await calls.requestDeliveryAccess(about));
    const { texts } = this.options.screens;
    if (before === null && user.status === "PENDING") await ctx.reply(texts.requested);
    else await this.guardedAs(ctx, user, () => this.openFolder(ctx, null, 0));
  }

  async help(ctx: Context): Promise<void> {
    const { texts } = this.options.screens;
    const isAdmin = this.options.admins.includes(String(ctx.from?.id));
    await ctx.reply(isAdmin ? `${texts.help}\n${texts.adminHelp}` : texts.help);
  }

  /** Whoever has no access is told so, and nothing else. */
  async guarded(ctx: Context, work: (user: DeliveryUser) => Promise<void>): Promise<void> {
    const about = personIn(ctx);
    if (!about) return;
    const known = await this.find(about.id);
    if (known === null) return this.welcome(ctx);
    return this.guardedAs(ctx, await this.entitled(known), work);
  }

  private async guardedAs(
    ctx: Context,
    user: DeliveryUser,
    work: (user: DeliveryUser) => Promise<void>,
  ): Promise<void> {
    const { screens } = this.options;
    if (user.status === "ACTIVE") return work(user);
    if (user.status === "EXPIRED") await show(ctx, screens.expired());
    else await show(ctx, screens.said(screens.texts[user.status === "PENDING" ? "pending" : "blocked"]));
    await answer(ctx);
  }

  /** An admin needs nobody to let him in. */
  private async entitled(user: DeliveryUser): Promise<DeliveryUser> {
    const { admins, calls } = this.options;
    if (user.status === "ACTIVE" || !admins.includes(user.id)) return user;
    return calls.approveDeliveryUser({ id: user.id, days: ADMIN_DAYS, decided_by: user.id });
  }

  private async find(id: string): Promise<DeliveryUser | null> {
    return this.options.calls.getDeliveryUser({ id }).catch(unlessMissing);
  }

  async fulfil(ctx: Context, wish: Wish): Promise<void> {
    const { texts } = this.options.screens;
    if (wish.kind === "ask_again") return this.askAgain(ctx);
    await this.guarded(ctx, async (user) => {
      if (wish.kind === "open") await this.openFolder(ctx, wish.folder_id, wish.page);
      if (wish.kind === "show") await this.showFile(ctx, wish.file_id, wish.page);
      if (wish.kind === "jobs") await this.showJobs(ctx, user);
      if (wish.kind === "download") return this.download(ctx, user, wish);
      if (wish.kind === "cancel") return this.cancel(ctx, user, wish.job_id);
      await answer(ctx);
    }).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await answer(ctx, texts.gone);
    });
  }

  private async openFolder(ctx: Context, folder_id: string | null, page: number): Promise<void> {
    const { catalogue, screens } = this.options;
    const { folder, files, total } = await catalogue.open(folder_id, { page, perPage: PER_PAGE });
    // It may have shrunk since its pages were counted.
    if (files.length === 0 && page > 0) return this.openFolder(ctx, folder_id, 0);
    await show(ctx, screens.folder(folder, files, page, total));
  }

  private async showFile(ctx: Context, file_id: string, page: number): Promise<void> {
    const { catalogue, screens } = this.options;
    await show(ctx, screens.file(await catalogue.file(file_id), page));
  }

  async search(ctx: Context, query: string): Promise<void> {
    const { catalogue, screens } = this.options;
    const q = firstUnits(query.trim(), 200);
    if (q === "" || q.startsWith("/")) {
      await ctx.reply(q === "" ? screens.texts.howToSearch : screens.texts.help);
      return;
    }
    const { files, total } = await catalogue.search(q, MOST_FOUND);
    await show(ctx, screens.found(q, files, total));
  }

  /** One tap, one job: whoever hears the same tap again finds the job that is there. */
  private async download(
    ctx: Context,
    user: DeliveryUser,
    { file_id, nonce, page }: Extract<Wish, { kind: "download" }>,
  ): Promise<void> {
    const { calls, catalogue, screens } = this.options;
    const file = await catalogue.file(file_id);
    const tap = { user_id: user.id, file_id, request_nonce: nonce, chat_id: user.chat_id };
    const job = await calls.createDeliveryJob(tap);
    await show(ctx, screens.queued(file, page));
    await answer(ctx, job.row_version > 1 ? screens.texts.alreadyQueued : undefined);
  }

  async showJobs(ctx: Context, { id }: DeliveryUser): Promise<void> {
    const { calls, screens, now = Date.now } = this.options;
    const [open, latest] = await Promise.all([
      calls.listDeliveryJobs({ user_id: id, status: [...OPEN_STATUSES], limit: MOST_JOBS }),
      calls.listDeliveryJobs({ user_id: id, status: [...FINAL_STATUSES], limit: MOST_JOBS }),
    ]);
    // What is still to come is asked for first, however much has come since.
    const jobs = [...open.jobs, ...latest.jobs].slice(0, MOST_JOBS);
    await show(ctx, screens.jobs(jobs, now()));
  }

  private async cancel(ctx: Context, user: DeliveryUser, job_id: string): Promise<void> {
    const { calls, screens } = this.options;
    const said = await calls
      .moveDeliveryJob({
        id: job_id,
        action: "cancel",
        payload: { user_id: user.id },
        client_event_id: `cancel:${job_id}`,
      })
      .then(() => screens.texts.cancelled)
      .catch((error: unknown) => {
        if (error instanceof PawlProblem && (error.status === 409 || error.status === 403))
          return screens.texts.tooLateToCancel;
        throw error;
      });
    await this.showJobs(ctx, user);
    await answer(ctx, said);
  }

  private async askAgain(ctx: Context): Promise<void> {
    const about = personIn(ctx);
    if (!about) return;
    const { calls, screens } = this.options;
    const user = await calls.requestDeliveryAccess({ ...about, again: true });
    if (user.status === "EXPIRED" || user.status === "PENDING")
      await show(ctx, screens.said(screens.texts.askedAgain));
    else return this.guardedAs(ctx, user, () => this.openFolder(ctx, null, 0));
    await answer(ctx);
  }
}

function personIn({ from, chat }: Context) {
  if (!from || !chat) return null;
  const { id, first_name, last_name, username } = from;
  const name = firstUnits([first_name, last_name].filter(Boolean).join(" ").trim(), 200) || String(id);
  return { id: String(id), name, username: username ?? null, chat_id: String(chat.id) };
}

/** In the message whose button was tapped, or in a new one. */
async function show(ctx: Context, { text, buttons }: Screen): Promise<void> {
  const reply_markup = { inline_keyboard: buttons };
  if (!ctx.callbackQuery) {
    await ctx.reply(text, { reply_markup });
    return;
  }
  try {
    await ctx.editMessageText(text, { reply_markup });
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    if (/message is not modified/i.test(error.description)) return;
    // Deleted, or too old to be changed.
    if (error.error_code === 400) await ctx.reply(text, { reply_markup });
    else throw error;
  }
}

/** Takes the clock off the button. One that was tapped too long ago needs no answer. */
async function answer(ctx: Context, text?: string): Promise<void> {
  if (!ctx.callbackQuery) return;
  await ctx.answerCallbackQuery(text === undefined ? {} : { text }).catch(() => undefined);
}

function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof PawlProblem && error.status === 404;
}
