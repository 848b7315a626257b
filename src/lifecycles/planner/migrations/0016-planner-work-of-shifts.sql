-- What the members of a shift got before its end, and still own: in hand, or handed in and not reviewed yet.
create view pawl.planner_work_of_shift as
  select s.org_id, s.id as shift_id, t.id as task_id, t.status in ('assigned', 'in_progress') as in_hand
  from pawl.planner_shift s
  join pawl.planner_shift_member m on m.org_id = s.org_id and m.shift_id = s.id
  join pawl.task t on t.org_id = m.org_id and t.assigned_to = m.member_id and not t.final
  where t.lifecycle = 'planner' and t.project_id = s.project_id
    and (t.data ->> 'assigned_at')::float8 < extract(epoch from s.ends_at) * 1000;
