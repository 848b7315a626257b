import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { group } from "./fields.ts";
import { requireFileReader } from "../permissions.ts";

const { id, nonEmptyText: words } = fields;

const path = "/api/delivery/storage-tokens/{id}";
const revision = z.int().min(0).max(2_147_483_646);
const stored = {
  revision: revision.describe("grows with each refresh; 0: none yet"),
  sealed: z.string().nullable().describe("encrypted by the processes that use it"),
};

export const TOKEN_ROUTES = defineRoutes({
  readStorageToken: {
    method: "GET",
    path,
    group,
    permission: requireFileReader,
    summary: "Get the refreshed OAuth tokens of the storage",
    about: "For workers, admins and the bot, which share them. The server cannot decrypt them.",
    replies: { 200: z.object(stored) },
  },
  lockStorageToken: {
    method: "POST",
    path: `${path}/lock`,
    group,
    permission: requireFileReader,
    summary: "Lock the tokens for a refresh",
    about:
      "One process refreshes at a time, because a refresh token can be used once. `locked` is false if the tokens have another revision, or another process refreshes them; it then has a minute.",
    body: z.object({ revision, holder: id.describe("id of the process") }),
    replies: { 200: z.object({ locked: z.boolean(), ...stored }) },
  },
  saveStorageToken: {
    method: "POST",
    path: `${path}/save`,
    group,
    permission: requireFileReader,
    summary: "Save refreshed tokens and unlock them",
    body: z.object({
      revision: revision.describe("of the tokens that were refreshed"),
      sealed: words.max(20_000),
    }),
    replies: { 204: null },
    refusals: ["VERSION_CONFLICT"],
  },
  unlockStorageToken: {
    method: "POST",
    path: `${path}/unlock`,
    group,
    permission: requireFileReader,
    summary: "Unlock tokens whose refresh failed",
    body: z.object({ holder: id }),
    replies: { 204: null },
  },
});
