import { z } from "zod";
import { defineRoutes } from "./route.ts";

const session = z.object({
  csrf_token: z.string().describe("to send as `X-CSRF-Token` with every request that changes data"),
  can_go_back: z.boolean().describe("true if `POST /api/session/back` can return to an earlier session"),
});

export const SESSION_ROUTES = defineRoutes({
  signIn: {
    method: "POST",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser in with a token",
    about:
      "Stores the token in an HttpOnly, same-site cookie. Only for pages of this server; programs send the token as `Authorization`.",
    access: "open",
    body: z.object({
      token: z.string().max(500, { abort: true }).regex(/^\S+$/, "must be a token"),
      remember: z.boolean().default(false).describe("stay signed in after the browser is closed"),
      over: z
        .boolean()
        .default(false)
        .describe("keep the current session, so that `POST /api/session/back` can return to it"),
    }),
    replies: { 200: session },
    refusals: ["INVALID_TOKEN", "MEMBER_INACTIVE", "TOKEN_CONFINED", "CROSS_SITE_REQUEST", "UNAVAILABLE"],
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
    refusals: ["INVALID_TOKEN", "CROSS_SITE_REQUEST"],
  },
  signOut: {
    method: "DELETE",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser out; also ends the kept session",
    access: "open",
    replies: { 204: null },
    refusals: ["CROSS_SITE_REQUEST"],
  },
});
