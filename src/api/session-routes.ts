import { z } from "zod";
import { moment } from "./fields.ts";
import { defineRoutes } from "./route.ts";

const session = z.object({
  csrf_token: z.string().describe("to send as `X-CSRF-Token` with every request that changes data"),
  can_go_back: z.boolean().describe("true if `POST /api/session/back` can return to an earlier session"),
});

const remember = z.boolean().default(false).describe("stay signed in after the browser is closed");

export const SESSION_ROUTES = defineRoutes({
  signIn: {
    method: "POST",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser in with a token",
    about:
      "Starts a session and stores its secret in an HttpOnly, same-site cookie. The session ends with the token. Only for pages of this server; programs send the token as `Authorization`.",
    access: "open",
    body: z.object({
      token: z.string().max(500, { abort: true }).regex(/^\S+$/, "must be a token"),
      remember,
      over: z
        .boolean()
        .default(false)
        .describe("keep the current session, so that `POST /api/session/back` can return to it"),
    }),
    replies: { 200: session },
    refusals: ["INVALID_TOKEN", "MEMBER_INACTIVE", "TOKEN_CONFINED", "CROSS_SITE_REQUEST", "UNAVAILABLE"],
  },
  signInWithCode: {
    method: "POST",
    path: "/api/session/code",
    group: "Session",
    summary: "Sign a browser in with the one-time code of a link",
    about: "Starts a session. A code can be used once.",
    access: "open",
    body: z.object({
      code: z.string().max(500, { abort: true }).regex(/^\S+$/, "must be a code"),
      remember,
    }),
    replies: { 200: session },
    refusals: ["LINK_INVALID", "MEMBER_INACTIVE", "CROSS_SITE_REQUEST", "UNAVAILABLE"],
  },
  createLoginLink: {
    method: "POST",
    path: "/api/members/{id}/login-links",
    group: "Session",
    summary: "Create a link with which a member signs in once, within ten minutes",
    about:
      "The code is in the fragment of the link, which browsers send to no server. The link is only shown in this answer.",
    access: "admin",
    replies: {
      201: z.object({
        path: z.string().describe("the link without the address of the server"),
        url: z
          .string()
          .nullable()
          .describe("the link at the address in PAWL_PUBLIC_URL; null if that is not set"),
        expires_at: moment,
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  getSession: {
    method: "GET",
    path: "/api/session",
    group: "Session",
    summary: "CSRF token of the current session",
    replies: { 200: session },
  },
  goBack: {
    method: "POST",
    path: "/api/session/back",
    group: "Session",
    summary: "Return to the session that was kept at sign-in",
    access: "open",
    replies: { 200: session },
    refusals: ["INVALID_TOKEN", "CROSS_SITE_REQUEST", "UNAVAILABLE"],
  },
  signOut: {
    method: "DELETE",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser out; also ends the kept session",
    access: "open",
    replies: { 204: null },
    refusals: ["CROSS_SITE_REQUEST", "UNAVAILABLE"],
  },
});
