-- The events that statistics count: work that was submitted, reviewed or taken away. Each is read along this index, because all
-- other events of the org are many.
create index planner_event_left on pawl.event (org_id, from_status, position)
where lifecycle = 'planner' and from_status in ('in_progress', 'submitted') and to_status <> from_status;
