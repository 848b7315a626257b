-- The planner's tasks by age, whatever else the org has, and those that somebody must look at.
create index task_of_planner on pawl.task (org_id, id) where lifecycle = 'planner';
create index planner_task_to_look_at on pawl.task (org_id, id) where lifecycle = 'planner' and needs_attention;
