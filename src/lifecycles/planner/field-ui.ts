import type { PluginUi } from "../../plugin/index.ts";

/** How the console's forms ask for the planner's fields. */
export const PLANNER_FIELDS: NonNullable<PluginUi["fields"]> = {
  title: { required_unless: "fix_of_task_id" },
  text: { required_when: { reason: "other" } },
  deliverable_id: {
    pick: {
      from: "/api/planner/deliverables",
      list: "deliverables",
      value: "id",
      label: ["type", "serial"],
      project: "project_id",
    },
  },
  defect_id: {
    pick: {
      from: "/api/planner/defects",
      list: "defects",
      value: "id",
      label: ["description"],
      project: "project_id",
      fills: { fix_of_task_id: "task_id" },
    },
  },
  escalation_id: {
    pick: {
      from: "/api/planner/tasks/{task}/escalations",
      list: "escalations",
      value: "id",
      label: ["reason", "text"],
    },
  },
};
