import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";

/** What a request says of itself. */
export type Saying = { method: string; headers: IncomingHttpHeaders };

const REMEMBERED_SECONDS = 30 * 86_400;
const CHANGES_NOTHING = new Set(["GET", "HEAD"]);

/** The token that a request was sent with: in its head or, from a page of ours, in the cookie of a session. */
export function tokenOf({ method, headers }: Saying): string | Refusal {
  if (headers.authorization !== undefined) return bearerOf(headers);
  const token = tokenInCookie("session", headers);
  if (token === null) return nobody();
  if (CHANGES_NOTHING.has(method)) return crossSiteRefusal(headers) ?? token;
  // A page from elsewhere can make a browser send the cookie, but can neither read this nor work it out.
  return headers["x-csrf-token"] === csrfTokenOf(token) ? (crossSiteRefusal(headers) ?? token) : forged();
}

/** The token in the head; what programs send. */
export function bearerOf({ authorization = "" }: IncomingHttpHeaders): string | Refusal {
  const [, token] = /^Bearer +(\S{1,500}) *$/i.exec(authorization) ?? [];
  return token ?? nobody();
}

/** Derived from the token, so that it holds as long as that and nothing has to be kept. */
export function csrfTokenOf(token: string): string {
  return createHash("sha256").update(`pawl csrf\n${token}`).digest("base64url");
}

/**
 * A request that a browser says another site has made. Where it says nothing of it, as on a network without encryption, the
 * origin that it names must be the address it came to.
 */
export function crossSiteRefusal(headers: IncomingHttpHeaders): Refusal | null {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const isOurs =
    site === undefined
      ? origin === undefined || hostOf(origin) === host
      : site === "same-origin" || site === "none";
  return isOurs ? null : forged();
}

/** The one that acts, and the one that a session was begun over, which only the routes of sessions are shown. */
const COOKIES = {
  session: { name: "pawl_session", path: "/" },
  home: { name: "pawl_home", path: "/api/session" },
} as const;
type Cookie = keyof typeof COOKIES;

/** The header that makes a browser keep a token, out of the reach of scripts. */
export function keptCookie(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  token: string,
  remember = false,
): string {
  const lasting = remember ? [`Max-Age=${REMEMBERED_SECONDS}`] : [];
  return cookieOf(cookie, headers, encodeURIComponent(token), lasting);
}

/** The header that makes a browser forget it. */
export function endedCookie(cookie: Cookie, headers: IncomingHttpHeaders): string {
  return cookieOf(cookie, headers, "", ["Max-Age=0"]);
}

/** A proxy may have taken the encryption off; by what the page was loaded tells the browser's `Origin`. */
function cookieOf(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  value: string,
  more: readonly string[],
): string {
  const secure = headers.origin?.startsWith("https:") ? ["Secure"] : [];
  return [
    `${cookieName(cookie, headers)}=${value}`,
    `Path=${COOKIES[cookie].path}`,
    "HttpOnly",
    "SameSite=Strict",
    ...secure,
    ...more,
  ].join("; ");
}

// By hand: the plugin for cookies would look at every answer, of which hardly any has to do with one.
export function tokenInCookie(which: Cookie, headers: IncomingHttpHeaders): string | null {
  const name = `${cookieName(which, headers)}=`;
  const cookie = headers.cookie?.split(/; */).find((part) => part.startsWith(name));
  const value = cookie?.slice(name.length) ?? "";
  return /^(?:[\w.~!*'()-]|%[0-7][0-9A-F]){1,1500}$/i.test(value) ? decodeURIComponent(value) : null;
}

/** Cookies know no ports: two servers on one machine would overwrite each other's. */
function cookieName(cookie: Cookie, { host = "" }: IncomingHttpHeaders): string {
  const { name } = COOKIES[cookie];
  const [, port] = /:(\d+)$/.exec(host) ?? [];
  return port === undefined ? name : `${name}_${port}`;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

export function nobody(): Refusal {
  return refuse("INVALID_TOKEN", "Say who you are: send Authorization: Bearer <token>.");
}

function forged(): Refusal {
  return refuse(
    "CROSS_SITE_REQUEST",
    "A session acts only for pages of this server, which show its csrf_token.",
  );
}
