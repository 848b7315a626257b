export type Sort = "created" | "updated" | "entered" | "due" | "priority";

/** Which tasks a list is of, and in which order. */
export type ListQuery = {
  lifecycle: string;
  status?: string[];
  project_id?: string;
  assigned_to?: string;
  q?: string;
  sort?: Sort;
  order?: "asc" | "desc";
  limit?: number;
};
