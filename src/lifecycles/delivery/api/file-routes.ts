import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { bytes, group } from "./fields.ts";
import { readsFiles } from "../permissions.ts";

const { id, text, words } = fields;

const file = z
  .object({
    id: z.string(),
    folder_id: z.string().nullable().describe("null: the first folder"),
    kind: z.enum(["file", "folder"]),
    name: z.string(),
    size: bytes.nullable(),
  })
  .meta({ id: "DeliveryFile" });

export const deliveryEntry = z.object({
  kind: z.enum(["file", "folder"]),
  // As the storage has them, with every blank: another path is another file.
  path: text.min(1).max(8_000),
  name: text.min(1).max(1_000),
  size: bytes.nullish(),
  revision: words.max(200).nullish().describe("changes with the contents"),
});

export const FILE_ROUTES = defineRoutes({
  listDeliveryFiles: {
    method: "GET",
    path: "/api/delivery/files",
    group,
    permission: readsFiles,
    summary: "What lies in a folder, or what has a name like this",
    about: "Folders first. For admins, workers, and the bot. Where things lie in the storage is not told.",
    query: z.object({
      folder_id: id.optional().describe("the first folder unless given, where nothing is sought"),
      q: text.max(200).optional().describe("words of a name, in any order"),
      limit: z.int().min(1).max(200).default(50),
      offset: z.int().min(0).max(1_000_000).default(0),
    }),
    replies: {
      200: z.object({
        folder: file.nullable().describe("null: the first folder"),
        files: z.array(file),
        total: z.int(),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  saveDeliveryFiles: {
    method: "POST",
    path: "/api/delivery/files",
    group,
    permission: readsFiles,
    summary: "Tell what lies in a folder of the storage",
    about:
      "In pages that share a `scan`; with the last of them what neither it nor a later one has seen is forgotten, and the storage is known to be well.",
    body: z.object({
      folder: text.max(8_000).nullish().describe("its path; null: the first folder"),
      scan: id.describe("one for each look, and a later look's sorts after it, as uuid v7 do"),
      entries: z.array(deliveryEntry).max(500).describe("if a path is listed twice, its last entry counts"),
      last: z.boolean(),
    }),
    replies: { 204: null },
  },
  getDeliverySource: {
    method: "GET",
    path: "/api/delivery/files/{id}/source",
    group,
    permission: readsFiles,
    summary: "Where a file or folder is read from",
    about: "For workers, admins, and the bot.",
    replies: {
      200: file.extend({
        path: z.string(),
        revision: z.string().nullable(),
        telegram_file_id: z.string().nullable().describe("Telegram has what it holds now"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  forgetCachedDeliveryFile: {
    method: "DELETE",
    path: "/api/delivery/files/{id}/cached/{telegram_file_id}",
    group,
    permission: readsFiles,
    summary: "Telegram does not know a file by this id any more",
    replies: { 204: null },
  },
});

export type DeliveryFile = z.output<typeof file>;
export type DeliveryEntry = z.output<typeof deliveryEntry>;
