import { join } from "node:path";
import type { TokenStore } from "../engine/index.ts";
import { secretFile } from "../std/secret-file.ts";

/** `<data>/admin-token`, readable only by the user that runs the server. */
export function adminTokenFile(data: string): TokenStore & { path: string } {
  return secretFile(join(data, "admin-token"));
}
