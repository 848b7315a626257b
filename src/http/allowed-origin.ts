import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { refuse } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";

/**
 * Refuses a request that a page of an unknown origin made, so that no page reaches a local server by DNS rebinding: such a
 * page sends its own name both as `Origin` and as `Host`, so the two being equal proves nothing. Allowed are the configured
 * origins, pages of the caller's own machine, and pages of this server where its address is an IP address. Programs send no
 * `Origin` and are let through, whatever `Host` a proxy passes on.
 */
export function originRefusal(
  { origin, host = "" }: IncomingHttpHeaders,
  allowed: readonly string[],
): Refusal | null {
  if (origin === undefined) return null;
  const page = URL.canParse(origin) ? new URL(origin) : null;
  if (page && /^https?:$/.test(page.protocol)) {
    if (allowed.includes(page.origin)) return null;
    const name = page.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isLoopback(name) || (isIP(name) !== 0 && page.host === host)) return null;
  }
  return refuse("ORIGIN_NOT_ALLOWED", `Pages of the origin ${origin} may not call this address.`, { origin });
}

function isLoopback(name: string): boolean {
  return /^(.+\.)?localhost$/.test(name) || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}
