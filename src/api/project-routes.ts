import { z } from "zod";
import {
  anyObject,
  chosenId,
  keptObject,
  moment,
  nextCursor,
  once,
  onWire,
  page,
  nonEmptyText,
} from "./fields.ts";
import { defineRoutes } from "./route.ts";

const settings = keptObject.describe(
  'by lifecycle: `{"board": {"status_deadlines": {"NEW": 60}}}`; null restores a default',
);

export const project = z
  .object({ id: z.string(), name: z.string(), settings: anyObject, created_at: moment })
  .meta({ id: "Project" });

export function projectOnWire(
  stored: Omit<z.output<typeof project>, "created_at"> & { created_at: number },
): z.output<typeof project> {
  return { ...stored, created_at: onWire(stored.created_at) };
}

export const PROJECT_ROUTES = defineRoutes({
  listProjects: {
    method: "GET",
    path: "/api/projects",
    group: "Projects",
    summary: "The projects you may see",
    query: z.object(page),
    replies: { 200: z.object({ projects: z.array(project), cursor: nextCursor }) },
  },
  getProject: {
    method: "GET",
    path: "/api/projects/{id}",
    group: "Projects",
    summary: "A project",
    replies: { 200: project },
    refusals: ["NOT_FOUND"],
  },
  createProject: {
    method: "POST",
    path: "/api/projects",
    group: "Projects",
    summary: "Add a project",
    access: "admin",
    idempotent: true,
    body: z.object({
      id: chosenId.optional().describe("default: a new UUID"),
      name: nonEmptyText.max(200).optional(),
      settings: settings.optional(),
      ...once,
    }),
    replies: { 201: project },
    refusals: ["ALREADY_EXISTS"],
  },
  changeProject: {
    method: "PATCH",
    path: "/api/projects/{id}",
    group: "Projects",
    summary: "Change a project",
    about: "Settings are merged into the stored ones and apply from the next status change of each task.",
    access: "admin",
    idempotent: true,
    body: z.object({ name: nonEmptyText.max(200).optional(), settings: settings.optional(), ...once }),
    replies: { 200: project },
    refusals: ["NOT_FOUND"],
  },
});
