const MEGABYTE = 1_048_576;

/** Keys of Lumen's folders, and of the files in each with their size in megabytes. */
const FOLDERS = {
  manuals: { beaconManual: 4.2, heronManual: 3.8, dimmerManual: 1.1, veneerCare: 0.7 },
  catalogs: { autumnCatalog: 48.6, architectsCatalog: 61.3, priceList: 0.4 },
  models: { beaconModel: 22.9, heronModel: 31.4, ternModel: 17.5 },
  videos: { assemblyVideo: 184.2, workshopVideo: 312.7 },
} as const;

type Folder = keyof typeof FOLDERS;
type FileKey = { [Name in Folder]: keyof (typeof FOLDERS)[Name] }[Folder];

/** Errors of a worker, without their messages. */
export const RETRYABLE_ERRORS = [
  { code: "NETWORK_TIMEOUT", retryable: true },
  { code: "STORAGE_UNAVAILABLE", retryable: true },
  { code: "RATE_LIMITED", retryable: true, retry_after_seconds: 8 },
] as const;

export const FINAL_ERRORS = [
  { code: "FILE_NOT_FOUND", retryable: false },
  { code: "USER_BLOCKED_BOT", retryable: false },
] as const;

type ErrorCode = (typeof RETRYABLE_ERRORS | typeof FINAL_ERRORS)[number]["code"];

/** A user of the bot. */
type BotUser = readonly [id: string, name: string, username: string | null];

/** All texts and names of delivery's demo in one language. */
export type DeliveryContent = {
  names: Readonly<Record<"olga" | "lumen-bot" | "courier-1" | "courier-2", string>>;
  folders: Readonly<Record<Folder, string>>;
  files: Readonly<Record<FileKey, string>>;
  /** The first users have access from the start. */
  users: readonly [BotUser, ...BotUser[]];
  /** Error messages by code. */
  errors: Readonly<Record<ErrorCode, string>>;
};

/** Lists the folders with the names and sizes of their files, in bytes. */
export function foldersIn({ folders, files }: DeliveryContent) {
  return Object.entries(FOLDERS).map(([folder, sizes]) => ({
    name: folders[folder as Folder],
    files: Object.entries(sizes).map(([file, megabytes]) => ({
      name: files[file as FileKey],
      size: Math.round(megabytes * MEGABYTE),
    })),
  }));
}
