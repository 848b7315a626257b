import { z } from "zod";
import { anyObject, chosenId, keptObject, moment, nextCursor, once, onWire, page, words } from "./fields.ts";
import { defineRoutes } from "./route.ts";

const settings = keptObject.describe(
  'by lifecycle: `{"board": {"status_deadlines": {"NEW": 60}}}`; null brings a default back',
);

export const project = z
  .object({ id: z.string(), name: z.string(), settings: anyObject, created_at: moment })
  .meta({ id: "Project" });

export function projectOnWire(
  told: Omit<z.output<typeof project>, "created_at"> & { created_at: number },
): z.output<typeof project> {
  return { ...told, created_at: onWire(told.created_at) };
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
      id: chosenId.optional().describe("a new uuid unless given"),
      name: words.max(200).optional(),
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
    about: "Settings are merged into those that are there; they hold from the next status change on.",
    access: "admin",
    idempotent: true,
    body: z.object({ name: words.max(200).optional(), settings: settings.optional(), ...once }),
    replies: { 200: project },
    refusals: ["NOT_FOUND"],
  },
});
