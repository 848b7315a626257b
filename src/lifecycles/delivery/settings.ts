import { z } from "zod";
import type { SettingValues } from "../../plugin/index.ts";
import { LANGUAGES } from "./bot/texts.ts";
import type { Language } from "./bot/texts.ts";

const STORAGES = ["local", "yandex-disk", "s3"] as const;
const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];

const secret = {
  schema: z.string().trim().min(1).nullable(),
  default: null,
  secret: true,
} as const;
/** Paths are appended to it, which would end up in a query. */
const address = z.url({ protocol: /^https?$/ }).refine((url) => !/[?#]/.test(url));

/** Settings of `pawl delivery bot` and `pawl delivery worker`. */
export const DELIVERY_SETTINGS = {
  telegramBotToken: {
    ...secret,
    env: "PAWL_TELEGRAM_BOT_TOKEN",
    schema: z
      .string()
      .trim()
      .regex(/^\d+:[\w-]+$/)
      .nullable(),
    expected: "a token from @BotFather",
    description: "the bot's token, from @BotFather; for `pawl delivery bot` and `pawl delivery worker`",
  },
  telegramApiUrl: {
    env: "PAWL_TELEGRAM_API_URL",
    schema: address,
    default: "https://api.telegram.org",
    expected: "an address like http://127.0.0.1:8081",
    description:
      "the Bot API server; Telegram's own accepts files of up to 50 MB, one that you run up to 2000 MB",
  },
  deliveryStorage: {
    env: "PAWL_DELIVERY_STORAGE",
    schema: z.enum(STORAGES),
    default: "local",
    expected: `one of ${STORAGES.join(", ")}`,
    description:
      "where the files are: a folder of this machine, Yandex Disk, or a bucket of a server with the S3 API",
  },
  deliveryFolder: {
    env: "PAWL_DELIVERY_FOLDER",
    schema: z.string().trim().min(1).nullable(),
    default: null,
    expected: "the path of a folder",
    description:
      "the folder with the files: a local path, one like disk:/Library on Yandex Disk, or one like library in a bucket",
  },
  yandexToken: {
    ...secret,
    env: "PAWL_YANDEX_DISK_TOKEN",
    expected: "an OAuth token",
    description: "the OAuth token for Yandex Disk",
  },
  yandexRefreshToken: {
    ...secret,
    env: "PAWL_YANDEX_DISK_REFRESH_TOKEN",
    expected: "a refresh token",
    description: "used to get a new OAuth token when the old one has expired",
  },
  yandexClientId: {
    env: "PAWL_YANDEX_CLIENT_ID",
    schema: z.string().trim().min(1).nullable(),
    default: null,
    expected: "the id of an OAuth application",
    description: "the id of the OAuth application that issued the tokens",
  },
  yandexClientSecret: {
    ...secret,
    env: "PAWL_YANDEX_CLIENT_SECRET",
    expected: "the secret of an OAuth application",
    description: "the secret of that OAuth application",
  },
  yandexDiskUrl: {
    env: "PAWL_YANDEX_DISK_URL",
    schema: address,
    default: "https://cloud-api.yandex.net",
    expected: "an address like https://example.com",
    description: "the address of the REST API of Yandex Disk",
  },
  yandexOauthUrl: {
    env: "PAWL_YANDEX_OAUTH_URL",
    schema: address,
    default: "https://oauth.yandex.ru",
    expected: "an address like https://example.com",
    description: "the OAuth server that issues new tokens for Yandex Disk",
  },
  s3Endpoint: {
    env: "PAWL_S3_ENDPOINT",
    schema: address.nullable(),
    default: null,
    expected: "an address like https://storage.example.com",
    description:
      "the server with the S3 API; default: that of Amazon in PAWL_S3_REGION. The bucket is part of the path, not of the host name",
  },
  s3Region: {
    env: "PAWL_S3_REGION",
    schema: z
      .string()
      .trim()
      .regex(/^[\w-]{1,64}$/),
    default: "us-east-1",
    expected: "a region like eu-central-1",
    description: "the region of the bucket; it is part of the signature",
  },
  s3Bucket: {
    env: "PAWL_S3_BUCKET",
    schema: z
      .string()
      .trim()
      .regex(/^[\w.-]{3,63}$/)
      .refine((name) => !/^\.+$/.test(name))
      .nullable(),
    default: null,
    expected: "the name of a bucket",
    description: "the bucket with the files, for PAWL_DELIVERY_STORAGE=s3",
  },
  s3AccessKeyId: {
    env: "PAWL_S3_ACCESS_KEY_ID",
    schema: z.string().trim().min(1).nullable(),
    default: null,
    expected: "the id of an access key",
    description: "the id of a key that may list the bucket and read its objects",
  },
  s3SecretAccessKey: {
    ...secret,
    env: "PAWL_S3_SECRET_ACCESS_KEY",
    expected: "the secret of an access key",
    description: "the secret of that key",
  },
  deliveryAdmins: {
    env: "PAWL_DELIVERY_ADMINS",
    schema: z.array(z.string().regex(/^\d{1,20}$/)),
    default: [],
    expected: "a list of Telegram ids like 123456,234567",
    description: "the Telegram ids of the admins who approve users in the bot, separated by commas",
  },
  deliveryLanguage: {
    env: "PAWL_DELIVERY_LANGUAGE",
    schema: z.enum(LANGUAGE_NAMES),
    default: "ru",
    expected: `one of ${LANGUAGE_NAMES.join(", ")}`,
    description: "the language of the bot",
  },
  deliveryCatalogueMinutes: {
    env: "PAWL_DELIVERY_CATALOGUE_MINUTES",
    schema: z.number().min(0).max(10_080),
    default: 10,
    expected: "a number of minutes from 0 to 10080 (a week)",
    description: "interval between scans of the storage for the bot's search; 0 turns them off",
  },
  deliveryWebhookUrl: {
    env: "PAWL_DELIVERY_WEBHOOK_URL",
    schema: address.nullable(),
    default: null,
    expected: "an address that Telegram can reach, like https://example.com/bot",
    description: "the address at which Telegram calls the bot; without it the bot uses long polling",
  },
  deliveryWebhookPort: {
    env: "PAWL_DELIVERY_WEBHOOK_PORT",
    schema: z.int().min(0).max(65_535),
    default: 4748,
    expected: "a whole number from 0 to 65535",
    description: "the port for Telegram's calls to the bot, on the address PAWL_HOST",
  },
  deliveryAnswerSeconds: {
    env: "PAWL_DELIVERY_ANSWER_SECONDS",
    schema: z.number().min(1).max(86_400),
    default: 1_800,
    expected: "a number of seconds from 1 to 86400",
    description:
      "how long a worker waits for Telegram's answer after it has sent a file; a Bot API server that you run answers only after it has forwarded the file",
  },
  deliveryStallSeconds: {
    env: "PAWL_DELIVERY_STALL_SECONDS",
    schema: z.number().min(0.1).max(3_600),
    default: 60,
    expected: "a number of seconds from 0.1 to 3600",
    description: "how long a transfer may make no progress before it is aborted",
  },
} as const;

export type DeliverySettings = SettingValues<typeof DELIVERY_SETTINGS>;
