import { adminTokenFile } from "./admin-token-file.ts";
import { serverAddressFile } from "./server-address-file.ts";
import type { Settings } from "./settings.ts";

type Asked = {
  /** Of a flag. */
  url: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  settings: Pick<Settings, "data" | "port">;
};

/** Where the server is that commands talk to: the one they are told of, or the one that runs on the data folder. */
export async function findServer({ url: flagged, env, settings: { data, port } }: Asked) {
  const address = serverAddressFile(data);
  const written = await address.read();
  const local =
    written === null
      ? { url: `http://127.0.0.1:${port}`, from: "the default" }
      : { url: written, from: address.path };
  const chosen = flagged ?? (env.PAWL_URL === "" ? undefined : env.PAWL_URL);
  const place =
    chosen === undefined ? local : { url: chosen, from: flagged === undefined ? "PAWL_URL" : "--url" };
  const given = env.PAWL_TOKEN?.trim() ?? "";
  if (given !== "") return { url: place.url, urlFrom: place.from, token: given, tokenFrom: "PAWL_TOKEN" };
  // The admin's token is for the server that it was made by, and is not sent to any other.
  const file = adminTokenFile(data);
  const token = originOf(place.url) === originOf(local.url) ? await file.read() : null;
  return { url: place.url, urlFrom: place.from, token, tokenFrom: token === null ? null : file.path };
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
