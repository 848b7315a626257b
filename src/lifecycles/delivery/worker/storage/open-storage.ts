import { existsSync, statSync } from "node:fs";
import { PawlError } from "../../../../core/index.ts";
import type { DeliverySettings } from "../../settings.ts";
import { localStorage } from "./local-storage.ts";
import type { Storage } from "./storage.ts";
import { yandexDisk } from "./yandex-disk.ts";
import type { TokenStore } from "./yandex-tokens.ts";

/** Opens the configured storage; throws INVALID_CONFIG if a setting is missing. */
export function openStorage(settings: DeliverySettings, store: TokenStore): Promise<Storage> {
  const open = {
    local: openFolder,
    "yandex-disk": openYandexDisk,
    s3: openBucket,
  }[settings.deliveryStorage];
  return open(settings, store);
}

async function openFolder({ deliveryFolder }: DeliverySettings): Promise<Storage> {
  const folder =
    deliveryFolder ?? missingSetting("PAWL_DELIVERY_FOLDER", "the path of the folder with the files");
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new PawlError("INVALID_CONFIG", `PAWL_DELIVERY_FOLDER: the folder ${folder} does not exist.`);
  return Promise.resolve(localStorage(folder));
}

async function openYandexDisk(settings: DeliverySettings, store: TokenStore): Promise<Storage> {
  const { yandexToken, deliveryFolder } = settings;
  const disk = {
    accessToken: yandexToken ?? missingSetting("PAWL_YANDEX_DISK_TOKEN", "an OAuth token for Yandex Disk"),
    refreshToken: settings.yandexRefreshToken,
    clientId: settings.yandexClientId,
    clientSecret: settings.yandexClientSecret,
    oauthUrl: withoutSlash(settings.yandexOauthUrl),
    apiUrl: withoutSlash(settings.yandexDiskUrl),
    folder: deliveryFolder ?? "disk:/",
    retryTimeoutMs: settings.deliveryStallSeconds * 1_000,
  };
  return Promise.resolve(yandexDisk(disk, store));
}

async function openBucket(settings: DeliverySettings): Promise<Storage> {
  const { s3Bucket, s3AccessKeyId, s3SecretAccessKey, s3Region, s3Endpoint } = settings;
  const options = {
    bucket: s3Bucket ?? missingSetting("PAWL_S3_BUCKET", "the name of the bucket with the files"),
    accessKeyId: s3AccessKeyId ?? missingSetting("PAWL_S3_ACCESS_KEY_ID", "the id of an access key"),
    secretAccessKey:
      s3SecretAccessKey ?? missingSetting("PAWL_S3_SECRET_ACCESS_KEY", "the secret of that access key"),
    region: s3Region,
    endpoint: withoutSlash(s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`),
    folder: settings.deliveryFolder ?? "",
    retryTimeoutMs: settings.deliveryStallSeconds * 1_000,
  };
  // Loaded on demand: other storages need no signature.
  const { s3Storage } = await import("./s3-storage.ts");
  return s3Storage(options);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

export function missingSetting(variable: string, what: string): never {
  throw new PawlError("INVALID_CONFIG", `${variable} is not set. Set it to ${what}.`);
}
