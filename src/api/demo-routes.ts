import { z } from "zod";
import { moment } from "./fields.ts";
import { defineRoutes } from "./route.ts";

export const DEMO_LANGUAGES = ["en", "ru"] as const;
/** The language of the demo's texts and names. */
export type DemoLanguage = (typeof DEMO_LANGUAGES)[number];

const language = z.enum(DEMO_LANGUAGES);

const demo = z
  .object({
    state: z
      .enum(["absent", "running", "stopped", "removing"])
      .describe("stopped: its data is kept, but its simulated members do nothing"),
    org_id: z.string().describe("the demo's own org"),
    language: language.nullable().describe("language of its texts and names; null if absent"),
    made_at: moment.nullable(),
  })
  .meta({ id: "Demo" });

const group = "Demo";
const HOSTS = "Only for admins of the org `main` and of the demo's org.";

export const DEMO_ROUTES = defineRoutes({
  getDemo: {
    method: "GET",
    path: "/api/demo",
    group,
    summary: "State of the demo",
    about: HOSTS,
    access: "admin",
    replies: { 200: demo },
  },
  startDemo: {
    method: "POST",
    path: "/api/demo",
    group,
    summary: "Create the demo, or resume it",
    about: `Creates tasks in every built-in lifecycle, and simulated members who work on them, in an org of its own. The token signs in to that org; it is only shown in this answer. ${HOSTS}`,
    access: "admin",
    body: z
      .object({
        language: language
          .optional()
          .describe(
            "a demo in another language is deleted, and a new one created; default: keep its language, or `demoLanguage` of the server for a new one",
          ),
      })
      .prefault({}),
    replies: { 200: demo.extend({ token: z.string() }).meta({ id: "StartedDemo" }) },
    refusals: ["ALREADY_EXISTS"],
  },
  stopDemo: {
    method: "POST",
    path: "/api/demo/stop",
    group,
    summary: "Pause the demo",
    about: `Its data is kept. ${HOSTS}`,
    access: "admin",
    replies: { 200: demo },
  },
  removeDemo: {
    method: "DELETE",
    path: "/api/demo",
    group,
    summary: "Delete the demo and its data",
    about: `Deletes the demo's org and everything in it. ${HOSTS}`,
    access: "admin",
    replies: { 204: null },
  },
});
