/** A file or folder in the storage. `path` is the storage's own name for it; users never see it. */
export type Entry = {
  kind: "file" | "folder";
  path: string;
  name: string;
  size: number | null;
  /** Changes with the contents. */
  revision: string | null;
};

/** An open file, readable from any position. */
export type OpenedFile = {
  size: number;
  revision: string;
  /** The hash of its contents, if the storage provides it. */
  sha256: string | null;
  read: (from: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Call it after reading. Can be called twice. */
  close: () => Promise<void>;
};

/** A storage of files. Errors are thrown as DeliveryFault. `test/lifecycles/delivery/storage.test.ts` tests all of them. */
export type Storage = {
  /** Lists a folder in pages; null: the top folder. */
  list: (folder: string | null, signal: AbortSignal) => AsyncIterable<readonly Entry[]>;
  open: (path: string, signal: AbortSignal) => Promise<OpenedFile>;
};
