import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { bytes, group } from "./fields.ts";
import { requireFileReader } from "../permissions.ts";

const { id, text, nonEmptyText: words } = fields;

const file = z
  .object({
    id: z.string(),
    folder_id: z.string().nullable().describe("null: the top folder"),
    kind: z.enum(["file", "folder"]),
    name: z.string(),
    size: bytes.nullable(),
  })
  .meta({ id: "DeliveryFile" });

export const deliveryEntry = z.object({
  kind: z.enum(["file", "folder"]),
  // Not trimmed: the storage distinguishes paths by their spaces.
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
    permission: requireFileReader,
    summary: "List a folder, or search files by name",
    about: "Folders come first. For admins, workers and the bot. Paths in the storage are not returned.",
    query: z.object({
      folder_id: id.optional().describe("default: the top folder, or with `q` all folders"),
      q: text
        .max(200)
        .optional()
        .describe(
          "words of the name, in any order; without `folder_id`, words of four letters or more may have typos",
        ),
      limit: z.int().min(1).max(200).default(50),
      offset: z.int().min(0).max(1_000_000).default(0),
    }),
    replies: {
      200: z.object({
        folder: file.nullable().describe("null: the top folder"),
        files: z.array(file),
        total: z.int(),
        similar: z.boolean().describe("no name has all words of `q`; these have similar ones, best first"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  saveDeliveryFiles: {
    method: "POST",
    path: "/api/delivery/files",
    group,
    permission: requireFileReader,
    summary: "Save the contents of a folder of the storage",
    about:
      "Sent in pages with the same `scan`. The last page deletes entries that neither this scan nor a later one has seen, and clears the alert about a rejected storage token.",
    body: z.object({
      folder: text.max(8_000).nullish().describe("its path; null: the top folder"),
      scan: id.describe("id of the scan; ids must sort by the time of the scan, as UUIDs v7 do"),
      entries: z.array(deliveryEntry).max(500).describe("if a path is listed twice, its last entry counts"),
      last: z.boolean(),
    }),
    replies: { 204: null },
  },
  getDeliverySource: {
    method: "GET",
    path: "/api/delivery/files/{id}/source",
    group,
    permission: requireFileReader,
    summary: "Get the path of a file or folder in the storage",
    about: "For workers, admins and the bot.",
    replies: {
      200: file.extend({
        path: z.string(),
        revision: z.string().nullable(),
        telegram_file_id: z.string().nullable().describe("Telegram's id of the current contents, if cached"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  forgetCachedDeliveryFile: {
    method: "DELETE",
    path: "/api/delivery/files/{id}/cached/{telegram_file_id}",
    group,
    permission: requireFileReader,
    summary: "Delete a cached Telegram id that is no longer valid",
    replies: { 204: null },
  },
});

export type DeliveryFile = z.output<typeof file>;
export type DeliveryEntry = z.output<typeof deliveryEntry>;
