import { z } from "zod";
import { defineRoutes, fields } from "../../api/index.ts";
import { taskFields } from "./fields.ts";
import { OF_PLACE, once, posts, reads, uuidPage, writes } from "./route-rows.ts";
import * as shapes from "./shapes.ts";

const { id, nextCursor, nonEmptyText: words } = fields;

const name = words.max(200);
const { title, description, priority, required_trade, estimate_minutes } = taskFields;

const template = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    name: z.string(),
    type: z.string().describe("the type of the deliverables made from it"),
    tasks: z.array(
      z.object({
        ref: z.string(),
        title: z.string(),
        description: z.string().nullable(),
        priority: z.int(),
        required_trade: z.string().nullable(),
        estimate_minutes: z.number().nullable(),
        depends_on: z.array(z.string()),
      }),
    ),
    created_by: z.string().nullable(),
    created_at: fields.moment,
  })
  .meta({ id: "PlannerTemplate" });

/** A task of a new template. */
export const templateTask = z.object({
  ref: name.describe("the name of the task within the template"),
  title,
  description,
  priority,
  required_trade,
  estimate_minutes,
  depends_on: z.array(name).max(200).nullish().describe("refs of tasks that must be done before"),
});

/** Routes of templates and their instances. */
export const TEMPLATE_ROUTES = defineRoutes({
  createTemplate: {
    ...posts,
    path: "/api/planner/templates",
    permission: "template.write",
    summary: "Create a template: the tasks of one kind of product",
    body: z.object({
      project_id: id.nullish(),
      name,
      type: name.describe("the type of the deliverables made from it"),
      tasks: z.array(templateTask).min(1).max(200),
      ...once,
    }),
    replies: { 201: template },
    refusals: [...OF_PLACE, "ALREADY_EXISTS"],
  },
  listTemplates: {
    ...reads,
    path: "/api/planner/templates",
    permission: "template.read",
    summary: "Templates, oldest first",
    query: z.object({ project_id: id.optional(), ...uuidPage }),
    replies: { 200: z.object({ templates: z.array(template), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  getTemplate: {
    ...reads,
    path: "/api/planner/templates/{id}",
    permission: "template.read",
    summary: "A template",
    replies: { 200: template },
    refusals: OF_PLACE,
  },
  deleteTemplate: {
    ...writes,
    method: "DELETE",
    path: "/api/planner/templates/{id}",
    permission: "template.write",
    summary: "Delete a template; deliverables made from it stay",
    replies: { 200: template },
    refusals: OF_PLACE,
  },
  createInstance: {
    ...posts,
    path: "/api/planner/templates/{id}/instances",
    permission: "template.write",
    summary: "Create a deliverable and all its tasks from a template",
    about: "All or nothing, in one transaction.",
    body: z.object({ serial: name.describe("the serial number of the new deliverable"), ...once }),
    replies: {
      201: z.object({
        deliverable: shapes.deliverable,
        tasks: z.array(shapes.task.extend({ ref: z.string() })),
      }),
    },
    refusals: [...OF_PLACE, "ALREADY_EXISTS"],
  },
});

export type PlannerTemplate = z.output<typeof template>;
