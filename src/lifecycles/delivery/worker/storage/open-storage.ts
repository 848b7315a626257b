import { existsSync, statSync } from "node:fs";
import { PawlError } from "../../../../core/index.ts";
import type { DeliverySettings } from "../../settings.ts";
import { localStorage } from "./local-storage.ts";
import type { Storage } from "./storage.ts";
import { yandexDisk } from "./yandex-disk.ts";
import type { TokenStore } from "./yandex-tokens.ts";

/** Opens the configured storage; throws INVALID_CONFIG if a setting is missing. */
export function openStorage(settings: DeliverySettings, store: TokenStore): Storage {
  const { deliveryStorage, deliveryFolder, yandexToken } = settings;
  if (deliveryStorage === "local") {
    const folder =
      deliveryFolder ?? missingSetting("PAWL_DELIVERY_FOLDER", "the path of the folder with the files");
    if (!existsSync(folder) || !statSync(folder).isDirectory())
      throw new PawlError("INVALID_CONFIG", `PAWL_DELIVERY_FOLDER: the folder ${folder} does not exist.`);
    return localStorage(folder);
  }
  return yandexDisk(
    {
      accessToken: yandexToken ?? missingSetting("PAWL_YANDEX_DISK_TOKEN", "an OAuth token for Yandex Disk"),
      refreshToken: settings.yandexRefreshToken,
      clientId: settings.yandexClientId,
      clientSecret: settings.yandexClientSecret,
      oauthUrl: settings.yandexOauthUrl.replace(/\/+$/, ""),
      apiUrl: settings.yandexDiskUrl.replace(/\/+$/, ""),
      folder: deliveryFolder ?? "disk:/",
      retryTimeoutMs: settings.deliveryStallSeconds * 1_000,
    },
    store,
  );
}

export function missingSetting(variable: string, what: string): never {
  throw new PawlError("INVALID_CONFIG", `${variable} is not set. Set it to ${what}.`);
}
