-- Unfinished tasks with a due date, in the order of their dates, which are stored in milliseconds.
create index planner_task_due on pawl.task (org_id, ((data ->> 'due_at')::float8), id)
  where lifecycle = 'planner' and not final and data ->> 'due_at' is not null;
