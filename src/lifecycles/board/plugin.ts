import type { LifecycleParts } from "../../engine/index.ts";
import { findWorkers } from "./sql/find-workers.ts";

/** What the board's rules want to know beyond a task. */
export const boardParts: LifecycleParts = {
  creation_facts: {
    assignee_works_here: async (tx, org_id, asks) => {
      const named = asks.map(({ input }) => (input.assignee_id as string | null | undefined) ?? null);
      const workers = await findWorkers(tx, org_id, [...new Set(named.filter((id) => id !== null))]);
      return asks.map(({ project_id }, index) => {
        const projects = workers.get(named[index] ?? "");
        return projects === null || (projects?.includes(project_id) ?? false);
      });
    },
  },
};
