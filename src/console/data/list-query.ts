export type Sort = "created" | "updated" | "entered" | "due" | "priority";

/** Filters and order of a task list. */
export type ListQuery = {
  /** Without it, the tasks of all lifecycles. */
  lifecycle?: string;
  status?: string[];
  project_id?: string;
  assigned_to?: string;
  q?: string;
  label?: string[];
  /** The member that has the task or its lease. */
  held_by?: string;
  attention?: boolean;
  sort?: Sort;
  order?: "asc" | "desc";
  limit?: number;
};
