/** How the embedded server is reached: a Unix socket in a private folder, or a port of the loopback interface. */
export type Listening = { transport: "socket"; folder: string } | { transport: "tcp"; port: number };

/** Part of the socket's file name; the port is not opened. */
export const SOCKET_PORT = 5432;

/** Written to postgresql.conf when the cluster is created; the owner may change them. */
export const INITIAL_SETTINGS = {
  max_connections: "200",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  // Reads of this size come from the cache, so three extra I/O processes would be idle.
  io_method: "sync",
  max_logical_replication_workers: "0",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_checkpoints: "off",
};

/** Settings enforced at every start, so that no edit of postgresql.conf exposes the server or loses committed data. */
export function enforcedSettings(listening: Listening, fsync: boolean): Record<string, string> {
  const safety = fsync ? "on" : "off";
  return {
    ...(listening.transport === "socket"
      ? {
          listen_addresses: "",
          port: String(SOCKET_PORT),
          unix_socket_directories: quoteFolder(listening.folder),
        }
      : { listen_addresses: "127.0.0.1", port: String(listening.port), unix_socket_directories: "" }),
    unix_socket_permissions: "0700",
    fsync: safety,
    synchronous_commit: safety,
    full_page_writes: safety,
    logging_collector: "off",
    log_destination: "stderr",
  };
}

// The setting is a list, so a comma or a space in the folder's name would split it.
function quoteFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`;
}
