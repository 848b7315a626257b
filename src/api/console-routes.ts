import { z } from "zod";
import { defineRoutes } from "./route.ts";

const localized = z.object({ en: z.string(), ru: z.string().optional() });
const names = z.record(z.string(), z.string());

const texts = z.object({
  summary: z.string().optional(),
  statuses: names.optional(),
  actions: names.optional(),
  confirmations: names.optional(),
  successes: names.optional(),
  fields: names.optional(),
  choices: names.optional(),
  hints: names.optional(),
  who: names.optional(),
  refusals: names.optional(),
});

const fieldList = z.object({
  from: z.string().describe("path of a GET route; `{task}` inserts the id of the form's task"),
  list: z.string().describe("property of the reply that holds the list"),
  value: z.string(),
  label: z.array(z.string()).readonly(),
  search: z.string().optional().describe("query parameter to search by"),
  project: z.string().optional().describe("query parameter for the form's project"),
  only: names.optional().describe("offers only entries with these properties"),
  open: z.boolean().optional().describe("whether other values may be entered"),
  fills: names.optional().describe("other fields filled from the chosen entry"),
});

const fieldUi = z.object({
  pick: z.union([z.enum(["member", "task", "project"]), fieldList]).optional(),
  hidden: z.boolean().optional(),
  generate: z.literal("uuid").optional(),
  required_unless: z.string().optional(),
  required_when: names.optional(),
});

const consolePlugin = z
  .object({
    lifecycle: z.string(),
    module: z.string().describe("URL of the ES module with its screens"),
    styles: z.string().nullable().describe("URL of its style sheet"),
    tabs: z.array(
      z.object({
        id: z.string(),
        title: localized,
        first_for: z.array(z.string()).describe("roles that see this tab first"),
      }),
    ),
    panel: z.enum(["details", "attempts"]).nullable().describe("content of its panel on a task's page"),
    texts: z.object({ en: texts.optional(), ru: texts.optional() }),
    fields: z.record(z.string(), fieldUi).describe("how forms ask for fields"),
  })
  .meta({ id: "ConsolePlugin" });

export type ConsolePlugin = z.output<typeof consolePlugin>;

export const CONSOLE_ROUTES = defineRoutes({
  listConsolePlugins: {
    method: "GET",
    path: "/api/console/plugins",
    group: "Console",
    summary: "Screens and texts that plugins add to the console",
    replies: { 200: z.object({ plugins: z.array(consolePlugin) }) },
  },
});
