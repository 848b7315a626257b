import type { TestProject } from "vitest/node";
import { startTestPostgres } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of the run's PostgreSQL: `testDatabases(inject("postgresUrl"))`. */
    postgresUrl: string;
  }
}

/** Vitest's global setup: one server for all files, stopped when the last one is done. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  project.provide("postgresUrl", postgres.url);
  return () => postgres.stop();
}
