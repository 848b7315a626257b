-- The only members that may see the task; null: the rules of `private` alone. Not part of the journal: a plugin sets it for all
-- tasks of a group at once, and keeps its own record of the change.
alter table pawl.task add column readers text[];

-- Has few rows. Every event that is read checks whether its task is in it.
create index task_restricted on pawl.task (org_id, id) where readers is not null;
