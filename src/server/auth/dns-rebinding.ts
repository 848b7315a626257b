import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";

export type AllowedCallers = {
  /** Origins whose web pages may call, as browsers send them. */
  origins: readonly string[];
  /** Host names in lower case; `*.example.com` matches every subdomain of example.com. */
  hosts: readonly string[];
};

/**
 * Refuses requests that may come from DNS rebinding: a web page of another site whose name was made to resolve to this
 * server's address. Such a page sends its own name both as `Host` and as `Origin`, so equality of the two proves nothing;
 * only names known in advance are accepted. An IP address as `Host` is safe, because DNS was not involved.
 */
export function rebindingRefusal(headers: IncomingHttpHeaders, allowed: AllowedCallers): Refusal | null {
  // Not Fastify's `request.host`: behind a trusted proxy it is X-Forwarded-Host, which a page can set.
  const host = String(headers.host ?? headers[":authority"] ?? "");
  return hostRefusal(host, allowed) ?? originRefusal(headers.origin, host, allowed);
}

function hostRefusal(host: string, { origins, hosts }: AllowedCallers): Refusal | null {
  const url = parseHost(host);
  if (url) {
    const name = nameOf(url);
    if (isLoopback(name) || isIP(name) !== 0 || isListed(name, hosts)) return null;
    if (origins.some((origin) => nameOf(new URL(origin)) === name)) return null;
  }
  const detail =
    host === "" ? "The request has no Host header." : `Requests to the host ${host} are not allowed.`;
  return refuse("HOST_NOT_ALLOWED", detail, { host });
}

function originRefusal(
  origin: string | undefined,
  host: string,
  { origins, hosts }: AllowedCallers,
): Refusal | null {
  // Only browsers send an origin.
  if (origin === undefined) return null;
  const page = URL.canParse(origin) ? new URL(origin) : null;
  if (page && /^https?:$/.test(page.protocol)) {
    if (origins.includes(page.origin)) return null;
    const name = nameOf(page);
    if (isLoopback(name)) return null;
    const isOwnPage = page.host === parseHost(host, page.protocol)?.host;
    if (isOwnPage && (isIP(name) !== 0 || isListed(name, hosts))) return null;
  }
  return refuse("ORIGIN_NOT_ALLOWED", `Web pages of the origin ${origin} may not call this server.`, {
    origin,
  });
}

/** A name, an IPv4 address or an IPv6 address in brackets, each with an optional port. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d*)?$/i;

/** The protocol determines the default port, which `host` of the result omits. */
function parseHost(host: string, protocol = "http:"): URL | null {
  const url = `${protocol}//${host}`;
  return HOST.test(host) && URL.canParse(url) ? new URL(url) : null;
}

/** Removes the brackets of an IPv6 address, and the trailing dot of a full domain name. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

function isLoopback(name: string): boolean {
  return /^(.+\.)?localhost$/.test(name) || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

function isListed(name: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => (host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host));
}
