import { z } from "zod";
import { moment } from "./fields.ts";
import { defineRoutes } from "./route.ts";

const demo = z
  .object({
    state: z
      .enum(["absent", "running", "stopped", "removing"])
      .describe("stopped: it is there, and nobody in it acts"),
    org_id: z.string().describe("the org that it has for itself"),
    made_at: moment.nullable(),
  })
  .meta({ id: "Demo" });

const group = "Demo";
const HOSTS = "For admins of the org `main`, and of the demo itself.";

export const DEMO_ROUTES = defineRoutes({
  getDemo: {
    method: "GET",
    path: "/api/demo",
    group,
    summary: "Whether there is a demo, and whether it runs",
    about: HOSTS,
    access: "admin",
    replies: { 200: demo },
  },
  startDemo: {
    method: "POST",
    path: "/api/demo",
    group,
    summary: "Make the demo, or let it go on",
    about: `It fills all lifecycles that ship with Pawl with work and with simulated members who do it, in an org of its own. The token is the way in; it is shown in this answer and never again. ${HOSTS}`,
    access: "admin",
    replies: { 200: demo.extend({ token: z.string() }).meta({ id: "StartedDemo" }) },
    refusals: ["ALREADY_EXISTS"],
  },
  stopDemo: {
    method: "POST",
    path: "/api/demo/stop",
    group,
    summary: "Let the demo's members rest",
    about: `What they did stays. ${HOSTS}`,
    access: "admin",
    replies: { 200: demo },
  },
  removeDemo: {
    method: "DELETE",
    path: "/api/demo",
    group,
    summary: "Take the demo away, with everything in it",
    about: `Its org with all that belongs to it, and nothing else. ${HOSTS}`,
    access: "admin",
    replies: { 204: null },
  },
});
