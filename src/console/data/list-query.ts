export type Sort = "created" | "updated" | "entered" | "due" | "priority";

/** Filters and order of a task list. */
export type ListQuery = {
  lifecycle: string;
  status?: string[];
  project_id?: string;
  assigned_to?: string;
  q?: string;
  label?: string[];
  sort?: Sort;
  order?: "asc" | "desc";
  limit?: number;
};
