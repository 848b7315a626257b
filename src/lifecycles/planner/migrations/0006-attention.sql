-- The page of the lead: open escalations by age, and tasks on hold. Both are few among many.
create index planner_escalation_open on pawl.planner_escalation (org_id, opened_at, id) where resolved_at is null;
create index planner_task_held on pawl.task (org_id, id) where lifecycle = 'planner' and open_holds > 0 and not final;
