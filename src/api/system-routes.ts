import { z } from "zod";
import { anyObject } from "./fields.ts";
import { defineRoutes, media } from "./route.ts";

export const SYSTEM_ROUTES = defineRoutes({
  getLive: {
    method: "GET",
    path: "/live",
    group: "System",
    summary: "Liveness: the process is running",
    access: "open",
    replies: { 200: z.object({ status: z.literal("live") }) },
  },
  getReady: {
    method: "GET",
    path: "/ready",
    group: "System",
    summary: "Readiness: the database is reachable and the server is not stopping",
    access: "open",
    replies: { 200: z.object({ status: z.literal("ready") }) },
    refusals: ["UNAVAILABLE"],
  },
  getMetrics: {
    method: "GET",
    path: "/metrics",
    group: "System",
    summary: "Metrics of this node for Prometheus",
    about:
      "Metrics cover all orgs and projects: they are for admins of the org `main` with access to every project.",
    access: "admin",
    replies: { 200: media("text/plain; version=0.0.4; charset=utf-8", z.string()) },
  },
  getOpenApi: {
    method: "GET",
    path: "/openapi.json",
    group: "System",
    summary: "This API as an OpenAPI 3.1 document",
    access: "open",
    replies: { 200: anyObject },
  },
  getDocs: {
    method: "GET",
    path: "/docs",
    group: "System",
    summary: "This API as a web page",
    access: "open",
    replies: { 200: media("text/html; charset=utf-8", z.string()) },
  },
});
