import { z } from "zod";
import { defineRoutes, fields } from "../../api/index.ts";
import { IMPORT_COLUMNS, MAX_IMPORT_ROWS } from "./import-columns.ts";
import { OF_PLACE, once, posts, reads } from "./route-rows.ts";
import * as shapes from "./shapes.ts";
import { timeZone } from "./shift-api.ts";

const { id, longText } = fields;

const table = {
  project_id: id.nullish(),
  csv: longText.min(1).describe(`a table with a heading and at most ${MAX_IMPORT_ROWS} rows`),
  time_zone: timeZone.nullish().describe("of due dates without an offset; without it, they are refused"),
};

const mistake = z
  .object({
    path: z.string().describe("line and column as one text"),
    line: z.int(),
    column: z.string().nullable(),
    message: z.string().describe("what is wrong, and what to write instead"),
  })
  .meta({ id: "PlannerImportMistake" });

const planned = z
  .object({
    line: z.int(),
    ref: z.string(),
    title: z.string(),
    status: z.enum(["available", "blocked"]),
    required_trade: z.string().nullable(),
    priority: z.int(),
    deliverable_id: z.string().nullable(),
    due_at: z.string().nullable(),
    estimate_minutes: z.int().nullable(),
    depends_on: z.array(z.string()).describe("refs of other rows, or ids of existing tasks"),
  })
  .meta({ id: "PlannerPlannedTask" });

const ABOUT = `Columns: ${Object.keys(IMPORT_COLUMNS).join(", ")}; only \`title\` is required. \`depends_on\` has refs of other rows or ids of existing tasks, separated by commas. Delimiters are commas, semicolons or tabs.`;

/** Routes that create tasks from a table. */
export const IMPORT_ROUTES = defineRoutes({
  previewPlannerImport: {
    ...reads,
    method: "POST",
    path: "/api/planner/imports/preview",
    permission: "task.create",
    summary: "The tasks that a CSV table would create, and its mistakes",
    about: `Creates nothing. ${ABOUT}`,
    body: z.object(table),
    replies: { 200: z.object({ tasks: z.array(planned), mistakes: z.array(mistake) }) },
    refusals: OF_PLACE,
  },
  importPlannerTasks: {
    ...posts,
    path: "/api/planner/imports",
    permission: "task.create",
    summary: "Create tasks from a CSV table, all or none",
    about: `If any cell is wrong, nothing is created, and \`errors\` lists every mistake. ${ABOUT}`,
    body: z.object({ ...table, ...once }),
    replies: {
      201: z.object({ tasks: z.array(shapes.task.extend({ line: z.int(), ref: z.string() })) }),
    },
    refusals: [...OF_PLACE, "INVALID_IMPORT"],
  },
});

export type PlannerImportMistake = z.output<typeof mistake>;
export type PlannerPlannedTask = z.output<typeof planned>;
