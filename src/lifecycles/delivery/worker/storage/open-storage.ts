import { existsSync, statSync } from "node:fs";
import { PawlError } from "../../../../core/index.ts";
import type { DeliverySettings } from "../../settings.ts";
import { localStorage } from "./local-storage.ts";
import type { Storage } from "./storage.ts";
import { yandexDisk } from "./yandex-disk.ts";
import type { TokenStore } from "./yandex-tokens.ts";

/** The storage that is set, or INVALID_CONFIG with what is missing. */
export function openStorage(settings: DeliverySettings, store: TokenStore): Storage {
  const { deliveryStorage, deliveryFolder, yandexToken } = settings;
  if (deliveryStorage === "local") {
    const folder = deliveryFolder ?? missing("STORAGE_FOLDER", "the folder that the files are in");
    if (!existsSync(folder) || !statSync(folder).isDirectory())
      throw new PawlError("INVALID_CONFIG", `STORAGE_FOLDER: there is no folder ${folder}.`);
    return localStorage(folder);
  }
  return yandexDisk(
    {
      accessToken: yandexToken ?? missing("YANDEX_DISK_TOKEN", "an OAuth token for Yandex Disk"),
      refreshToken: settings.yandexRefreshToken,
      clientId: settings.yandexClientId,
      clientSecret: settings.yandexClientSecret,
      oauthUrl: settings.yandexOauthUrl.replace(/\/+$/, ""),
      apiUrl: settings.yandexDiskUrl.replace(/\/+$/, ""),
      folder: deliveryFolder ?? "disk:/",
      patienceMs: settings.deliveryStallSeconds * 1_000,
    },
    store,
  );
}

export function missing(variable: string, what: string): never {
  throw new PawlError("INVALID_CONFIG", `${variable} is not set: it is ${what}.`);
}
