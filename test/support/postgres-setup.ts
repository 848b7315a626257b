import type { TestProject } from "vitest/node";
import { startPostgres15, whyNotDebian } from "../engine/faults/debian-servers.ts";
import { startTestPostgres } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of the run's PostgreSQL: `testDatabases(inject("postgresUrl"))`. */
    postgresUrl: string;
  }
}

/**
 * Vitest's global setup: one server for all files, stopped when the last one is done. PAWL_TEST_SERVER=postgres15
 * replaces the embedded server by Debian's PostgreSQL 15.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startServer(process.env.PAWL_TEST_SERVER ?? "embedded");
  project.provide("postgresUrl", postgres.url);
  return () => postgres.stop();
}

async function startServer(name: string): Promise<{ url: string; stop(): Promise<void> }> {
  if (name === "embedded") return startTestPostgres();
  if (name !== "postgres15") throw new Error("PAWL_TEST_SERVER must be embedded or postgres15");
  const reason = await whyNotDebian();
  if (reason !== null) throw new Error(reason);
  return startPostgres15();
}
