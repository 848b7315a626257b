import { z } from "zod";
import { LANGUAGES } from "./bot/texts.ts";
import type { Language } from "./bot/texts.ts";

const STORAGES = ["local", "yandex-disk"] as const;
const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];

const secret = {
  flag: null,
  schema: z.string().trim().min(1).nullable(),
  byDefault: null,
  secret: true,
} as const;
const address = z.url({ protocol: /^https?$/ });

/** What can be set for `pawl delivery bot` and `pawl delivery worker`. */
export const DELIVERY_SETTINGS = {
  telegramBotToken: {
    ...secret,
    env: "TELEGRAM_BOT_TOKEN",
    schema: z
      .string()
      .trim()
      .regex(/^\d+:[\w-]+$/)
      .nullable(),
    expects: "a token as @BotFather gives it",
    about: "the bot's token, from @BotFather; for `pawl delivery bot` and `pawl delivery worker`",
  },
  telegramApiUrl: {
    env: "TELEGRAM_API_URL",
    flag: null,
    schema: address,
    byDefault: "https://api.telegram.org",
    expects: "an address like http://127.0.0.1:8081",
    about: "the Bot API server; Telegram's own takes files of up to 50 MB, one of your own up to 2 GB",
  },
  deliveryStorage: {
    env: "STORAGE",
    flag: null,
    schema: z.enum(STORAGES),
    byDefault: "local",
    expects: `one of ${STORAGES.join(", ")}`,
    about: "where the files are: in a folder of this machine, or on Yandex Disk",
  },
  deliveryFolder: {
    env: "STORAGE_FOLDER",
    flag: null,
    schema: z.string().trim().min(1).nullable(),
    byDefault: null,
    expects: "the path of a folder",
    about: "the folder that is the library: a path here, or one like disk:/Library on Yandex Disk",
  },
  yandexToken: {
    ...secret,
    env: "YANDEX_DISK_TOKEN",
    expects: "an OAuth token",
    about: "the OAuth token for Yandex Disk",
  },
  yandexRefreshToken: {
    ...secret,
    env: "YANDEX_DISK_REFRESH_TOKEN",
    expects: "a refresh token",
    about: "by which a new OAuth token is got when the old one is over",
  },
  yandexClientId: {
    env: "YANDEX_CLIENT_ID",
    flag: null,
    schema: z.string().trim().min(1).nullable(),
    byDefault: null,
    expects: "the id of an OAuth application",
    about: "the OAuth application that the tokens are of",
  },
  yandexClientSecret: {
    ...secret,
    env: "YANDEX_CLIENT_SECRET",
    expects: "the secret of an OAuth application",
    about: "the application's secret",
  },
  yandexDiskUrl: {
    env: "YANDEX_DISK_URL",
    flag: null,
    schema: address,
    byDefault: "https://cloud-api.yandex.net",
    expects: "an address like https://example.com",
    about: "where the REST API of Yandex Disk is",
  },
  yandexOauthUrl: {
    env: "YANDEX_OAUTH_URL",
    flag: null,
    schema: address,
    byDefault: "https://oauth.yandex.ru",
    expects: "an address like https://example.com",
    about: "where Yandex refreshes tokens",
  },
  deliveryAdmins: {
    env: "PAWL_DELIVERY_ADMINS",
    flag: null,
    schema: z.array(z.string().regex(/^\d{1,20}$/)),
    byDefault: [],
    expects: "a list of Telegram ids like 123456,234567",
    about: "the Telegram ids of those who decide about users in the bot, separated by commas",
  },
  deliveryLanguage: {
    env: "PAWL_DELIVERY_LANGUAGE",
    flag: null,
    schema: z.enum(LANGUAGE_NAMES),
    byDefault: "ru",
    expects: `one of ${LANGUAGE_NAMES.join(", ")}`,
    about: "the language that the bot speaks",
  },
  deliveryCatalogueMinutes: {
    env: "PAWL_DELIVERY_CATALOGUE_MINUTES",
    flag: null,
    schema: z.number().min(0).max(10_080),
    byDefault: 10,
    expects: "a number of minutes up to a week",
    about: "how often the bot looks through all of the storage, for its search; 0 is never",
  },
  deliveryWebhookUrl: {
    env: "PAWL_DELIVERY_WEBHOOK_URL",
    flag: null,
    schema: address.nullable(),
    byDefault: null,
    expects: "an address that Telegram can reach, like https://example.com/bot",
    about: "where Telegram calls the bot; without it the bot asks Telegram (long polling)",
  },
  deliveryWebhookPort: {
    env: "PAWL_DELIVERY_WEBHOOK_PORT",
    flag: null,
    schema: z.int().min(0).max(65_535),
    byDefault: 4748,
    expects: "a whole number from 0 to 65535",
    about: "the port on which the bot hears those calls, at PAWL_HOST",
  },
  deliveryAnswerSeconds: {
    env: "PAWL_DELIVERY_ANSWER_SECONDS",
    flag: null,
    schema: z.number().min(1).max(86_400),
    byDefault: 1_800,
    expects: "a number of seconds from 1 to 86400",
    about:
      "how long a worker waits for Telegram's answer when a file has gone out; a Bot API server of your own first passes it on",
  },
  deliveryStallSeconds: {
    env: "PAWL_DELIVERY_STALL_SECONDS",
    flag: null,
    schema: z.number().min(0.1).max(3_600),
    byDefault: 60,
    expects: "a number of seconds from 0.1 to 3600",
    about: "how long storage or Telegram may stand still in the middle of a file",
  },
} as const;

export type DeliverySettings = {
  [Name in keyof typeof DELIVERY_SETTINGS]: z.output<(typeof DELIVERY_SETTINGS)[Name]["schema"]>;
};
