/** Limits of a token: it opens only routes that admit its kind. A plugin makes kinds of its own beside `task`. */
export type Confines = {
  kind: string;
  /** The project it is for; readers who may not see the project are shown the kind alone. */
  workspace_id?: string;
  /** The task it is for, of the kind `task`. */
  task_id?: string;
  [field: string]: unknown;
};
