/** Limits of a token: it is accepted only by routes that allow its kind. A plugin can define kinds besides `task`. */
export type Confines = {
  kind: string;
  /** The project it is for; readers who may not see the project see only the kind. */
  workspace_id?: string;
  /** The task it is for, if the kind is `task`. */
  task_id?: string;
  [field: string]: unknown;
};
