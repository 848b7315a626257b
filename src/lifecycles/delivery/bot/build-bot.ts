import { Bot, GrammyError } from "grammy";
import type { Context } from "grammy";
import { PawlProblem } from "../../../client/index.ts";
import { truncateText } from "../../../core/index.ts";
import { FINAL_STATUSES, OPEN_STATUSES } from "../api.ts";
import type { DeliveryUser } from "../api.ts";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { addAdminCommands } from "./admin-commands.ts";
import { decodeAction } from "./buttons.ts";
import type { ButtonAction } from "./buttons.ts";
import type { Catalogue } from "./catalogue.ts";
import { PAGE_SIZE } from "./screens.ts";
import type { Screen, Screens } from "./screens.ts";
import { limitAnswerTime, retryRateLimited } from "./telegram-calls.ts";

export type BotOptions = {
  token: string;
  /** Address of the Bot API server. */
  apiUrl: string;
  calls: DeliveryCalls;
  catalogue: Catalogue;
  screens: Screens;
  /** Telegram ids of the admins, who decide about users. */
  admins: readonly string[];
  log: Log;
  /** Maximum wait for an answer of Telegram. */
  answerMs?: number;
  now?: () => number;
};

const ANSWER_TIMEOUT_MS = 15_000;
const MAX_LISTED_JOBS = 10;
const ADMIN_ACCESS_DAYS = 36_500;

/** Builds the bot with its handlers. The bot has no state, so any process can handle any update. */
export function buildBot(options: BotOptions): Bot {
  const { token, apiUrl, screens, log, answerMs = ANSWER_TIMEOUT_MS } = options;
  const bot = new Bot(token, { client: { apiRoot: apiUrl.replace(/\/+$/, "") } });
  // The last one is the outermost: each repetition has its own time limit.
  bot.api.config.use(limitAnswerTime(answerMs), retryRateLimited());
  const handlers = new BotHandlers(options);
  // Only private chats: in a group, others would see the requests.
  const privateChat = bot.chatType("private");
  addAdminCommands(privateChat, { ...options, show });
  privateChat.command("start", (ctx) => handlers.welcome(ctx));
  privateChat.command("help", (ctx) => handlers.help(ctx));
  privateChat.command("status", (ctx) => handlers.withAccess(ctx, (user) => handlers.showJobs(ctx, user)));
  privateChat.command("search", (ctx) => handlers.withAccess(ctx, () => handlers.search(ctx, ctx.match)));
  privateChat.on("message:text", (ctx) =>
    handlers.withAccess(ctx, () => handlers.search(ctx, ctx.message.text)),
  );
  // Messages without text, such as pictures, get the search hint, or the welcome if the user is new.
  privateChat.on("message", (ctx) => handlers.withAccess(ctx, () => handlers.search(ctx, "")));
  privateChat.on("callback_query:data", async (ctx) => {
    const action = decodeAction(ctx.callbackQuery.data);
    if (action) await handlers.handleButton(ctx, action);
    else await answer(ctx);
  });
  bot.catch(async ({ error, ctx }) => {
    log.error(redactedError(error), "failed to handle an update");
    if (ctx.callbackQuery) await answer(ctx, screens.texts.trouble);
    else if (ctx.chat?.type === "private") await ctx.reply(screens.texts.trouble).catch(() => undefined);
  });
  return bot;
}

class BotHandlers {
  private readonly options: BotOptions;

  constructor(options: BotOptions) {
    this.options = options;
  }

  async welcome(ctx: Context): Promise<void> {
    const { calls } = this.options;
    const sender = senderOf(ctx);
    if (!sender) return;
    const before = await this.find(sender.id);
    const user = await this.approveIfAdmin(await calls.requestDeliveryAccess(sender));
    const { texts } = this.options.screens;
    if (before === null && user.status === "PENDING") await ctx.reply(texts.requested);
    else await this.withAccessOf(ctx, user, () => this.openFolder(ctx, null, 0));
  }

  async help(ctx: Context): Promise<void> {
    const { texts } = this.options.screens;
    const isAdmin = this.options.admins.includes(String(ctx.from?.id));
    await ctx.reply(isAdmin ? `${texts.help}\n${texts.adminHelp}` : texts.help);
  }

  /** Runs the handler for users with access; others get only their access status. */
  async withAccess(ctx: Context, work: (user: DeliveryUser) => Promise<void>): Promise<void> {
    const sender = senderOf(ctx);
    if (!sender) return;
    const user = await this.find(sender.id);
    if (user === null) return this.welcome(ctx);
    return this.withAccessOf(ctx, await this.approveIfAdmin(user), work);
  }

  private async withAccessOf(
    ctx: Context,
    user: DeliveryUser,
    work: (user: DeliveryUser) => Promise<void>,
  ): Promise<void> {
    const { screens } = this.options;
    if (user.status === "ACTIVE") return work(user);
    if (user.status === "EXPIRED") await show(ctx, screens.expired());
    else await show(ctx, screens.message(screens.texts[user.status === "PENDING" ? "pending" : "blocked"]));
    await answer(ctx);
  }

  /** Approves admins automatically. */
  private async approveIfAdmin(user: DeliveryUser): Promise<DeliveryUser> {
    const { admins, calls } = this.options;
    if (user.status === "ACTIVE" || !admins.includes(user.id)) return user;
    return calls.approveDeliveryUser({ id: user.id, days: ADMIN_ACCESS_DAYS, decided_by: user.id });
  }

  private async find(id: string): Promise<DeliveryUser | null> {
    return this.options.calls.getDeliveryUser({ id }).catch(nullIfNotFound);
  }

  async handleButton(ctx: Context, action: ButtonAction): Promise<void> {
    const { texts } = this.options.screens;
    if (action.kind === "ask_again") return this.askAgain(ctx);
    await this.withAccess(ctx, async (user) => {
      if (action.kind === "open") await this.openFolder(ctx, action.folder_id, action.page);
      if (action.kind === "found") await this.showFound(ctx, action.page);
      if (action.kind === "show") await this.showFile(ctx, action.file_id, action.page);
      if (action.kind === "jobs") await this.showJobs(ctx, user);
      if (action.kind === "download") return this.download(ctx, user, action);
      if (action.kind === "cancel") return this.cancel(ctx, user, action.job_id);
      await answer(ctx);
    }).catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await answer(ctx, texts.gone);
    });
  }

  private async openFolder(ctx: Context, folder_id: string | null, page: number): Promise<void> {
    const { catalogue, screens } = this.options;
    const { folder, files, total } = await catalogue.open(folder_id, { page, perPage: PAGE_SIZE });
    // The folder may have fewer pages now.
    if (files.length === 0 && page > 0) return this.openFolder(ctx, folder_id, 0);
    await show(ctx, screens.folder(folder, files, page, total));
  }

  private async showFile(ctx: Context, file_id: string, page: number): Promise<void> {
    const { catalogue, screens } = this.options;
    await show(ctx, screens.file(await catalogue.file(file_id), page));
  }

  async search(ctx: Context, query: string): Promise<void> {
    const { catalogue, screens } = this.options;
    const q = truncateText(query.trim(), 200);
    if (q === "" || q.startsWith("/")) {
      await ctx.reply(q === "" ? screens.texts.howToSearch : screens.texts.help);
      return;
    }
    await show(ctx, screens.found(q, await catalogue.search(q, { page: 0, perPage: PAGE_SIZE }), 0));
  }

  private async showFound(ctx: Context, page: number): Promise<void> {
    const { catalogue, screens } = this.options;
    const q = screens.queryIn(ctx.callbackQuery?.message?.text ?? "");
    if (q === null) return this.search(ctx, "");
    const found = await catalogue.search(q, { page, perPage: PAGE_SIZE });
    // There may be fewer pages now.
    if (found.files.length === 0 && page > 0) return this.showFound(ctx, 0);
    await show(ctx, screens.found(q, found, page));
  }

  /** One tap creates one job: a repeated update finds the existing job. */
  private async download(
    ctx: Context,
    user: DeliveryUser,
    { file_id, nonce, page }: Extract<ButtonAction, { kind: "download" }>,
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
      calls.listDeliveryJobs({ user_id: id, status: [...OPEN_STATUSES], limit: MAX_LISTED_JOBS }),
      calls.listDeliveryJobs({ user_id: id, status: [...FINAL_STATUSES], limit: MAX_LISTED_JOBS }),
    ]);
    // Open jobs first, even if they are older than the finished ones.
    const jobs = [...open.jobs, ...latest.jobs].slice(0, MAX_LISTED_JOBS);
    await show(ctx, screens.jobs(jobs, now()));
  }

  private async cancel(ctx: Context, user: DeliveryUser, job_id: string): Promise<void> {
    const { calls, screens } = this.options;
    const text = await calls
      .moveDeliveryJob({
        id: job_id,
        action: "cancel",
        payload: { user_id: user.id },
        client_event_id: `cancel:${job_id}`,
      })
      .then(() => screens.texts.canceled)
      .catch((error: unknown) => {
        if (error instanceof PawlProblem && (error.status === 409 || error.status === 403))
          return screens.texts.tooLateToCancel;
        throw error;
      });
    await this.showJobs(ctx, user);
    await answer(ctx, text);
  }

  private async askAgain(ctx: Context): Promise<void> {
    const sender = senderOf(ctx);
    if (!sender) return;
    const { calls, screens } = this.options;
    const user = await calls.requestDeliveryAccess({ ...sender, again: true });
    if (user.status === "EXPIRED" || user.status === "PENDING")
      await show(ctx, screens.message(screens.texts.askedAgain));
    else return this.withAccessOf(ctx, user, () => this.openFolder(ctx, null, 0));
    await answer(ctx);
  }
}

function senderOf({ from, chat }: Context) {
  if (!from || !chat) return null;
  const { id, first_name, last_name, username } = from;
  const name = truncateText([first_name, last_name].filter(Boolean).join(" ").trim(), 200) || String(id);
  return { id: String(id), name, username: username ?? null, chat_id: String(chat.id) };
}

/** Edits the message whose button was tapped, or sends a new one. */
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
    // The message was deleted, or is too old to edit.
    if (error.error_code === 400) await ctx.reply(text, { reply_markup });
    else throw error;
  }
}

/** Answers the tap, which ends the button's loading state. Fails silently if the tap is too old. */
async function answer(ctx: Context, text?: string): Promise<void> {
  if (!ctx.callbackQuery) return;
  await ctx.answerCallbackQuery(text === undefined ? {} : { text }).catch(() => undefined);
}

function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

function isNotFound(error: unknown): boolean {
  return error instanceof PawlProblem && error.status === 404;
}
