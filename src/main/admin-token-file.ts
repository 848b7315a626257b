import { join } from "node:path";
import type { Keeping } from "../engine/index.ts";
import { secretFile } from "../std/secret-file.ts";

/** `<data>/admin-token`: for the eyes of whoever runs the server. */
export function adminTokenFile(data: string): Keeping & { path: string } {
  return secretFile(join(data, "admin-token"));
}
