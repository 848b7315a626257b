import { adminTokenFile } from "./admin-token-file.ts";
import { serverAddressFile } from "./server-address-file.ts";
import type { Settings } from "./settings.ts";

type FindServerOptions = {
  /** Value of `--url`. */
  url: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  settings: Pick<Settings, "data" | "port">;
};

/** Finds the server for commands: the one in `--url` or PAWL_URL, else the one that uses the data folder. */
export async function findServer({ url: flagged, env, settings: { data, port } }: FindServerOptions) {
  const address = serverAddressFile(data);
  const written = await address.read();
  const local =
    written === null
      ? { url: `http://127.0.0.1:${port}`, from: "the default" }
      : { url: written, from: address.path };
  const chosen = flagged ?? (env.PAWL_URL === "" ? undefined : env.PAWL_URL);
  const server =
    chosen === undefined ? local : { url: chosen, from: flagged === undefined ? "PAWL_URL" : "--url" };
  const given = env.PAWL_TOKEN?.trim() ?? "";
  if (given !== "") return { url: server.url, urlFrom: server.from, token: given, tokenFrom: "PAWL_TOKEN" };
  // The admin token is sent only to the server that created it.
  const file = adminTokenFile(data);
  const token = originOf(server.url) === originOf(local.url) ? await file.read() : null;
  return { url: server.url, urlFrom: server.from, token, tokenFrom: token === null ? null : file.path };
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
