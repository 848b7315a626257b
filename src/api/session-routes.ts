import { z } from "zod";
import { defineRoutes } from "./route.ts";

const session = z.object({
  csrf_token: z.string().describe("to be sent as `X-CSRF-Token` with everything that changes something"),
  can_go_back: z.boolean().describe("this session was begun over another one, which is kept"),
});

export const SESSION_ROUTES = defineRoutes({
  signIn: {
    method: "POST",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser in with a token",
    about:
      "The token is kept in a cookie that no script can read and that is sent to this site alone. For pages of this very server; programs send the token itself.",
    access: "open",
    body: z.object({
      token: z.string().max(500, { abort: true }).regex(/^\S+$/, "must be a token"),
      remember: z.boolean().default(false).describe("stay signed in when the browser is closed"),
      over: z
        .boolean()
        .default(false)
        .describe("keep the session that there is: going back from this one needs no token"),
    }),
    replies: { 200: session },
    refusals: ["INVALID_TOKEN", "MEMBER_INACTIVE", "TOKEN_CONFINED", "CROSS_SITE_REQUEST", "UNAVAILABLE"],
  },
  getSession: {
    method: "GET",
    path: "/api/session",
    group: "Session",
    summary: "What a signed-in page needs to change things",
    replies: { 200: session },
  },
  goBack: {
    method: "POST",
    path: "/api/session/back",
    group: "Session",
    summary: "Go back to the session that this one was begun over",
    access: "open",
    replies: { 200: session },
    refusals: ["INVALID_TOKEN", "CROSS_SITE_REQUEST"],
  },
  signOut: {
    method: "DELETE",
    path: "/api/session",
    group: "Session",
    summary: "Sign a browser out, also of a session that is kept",
    access: "open",
    replies: { 204: null },
    refusals: ["CROSS_SITE_REQUEST"],
  },
});
