/** Something that lies in a storage. `path` is the storage's own name for it, and goes no further than the server. */
export type Entry = {
  kind: "file" | "folder";
  path: string;
  name: string;
  size: number | null;
  /** Changes with the contents. */
  revision: string | null;
};

/** A file that can be read, from any place in it. */
export type OpenedFile = {
  size: number;
  revision: string;
  /** Of its contents, where the storage knows it. */
  sha256: string | null;
  read: (from: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** When nobody reads it any more. May be called twice. */
  close: () => Promise<void>;
};

/** Where the files are. What goes wrong is thrown as a DeliveryFault. */
export type Storage = {
  /** What lies in a folder, page by page; null: the first one. */
  list: (folder: string | null, signal: AbortSignal) => AsyncIterable<readonly Entry[]>;
  open: (path: string, signal: AbortSignal) => Promise<OpenedFile>;
};
