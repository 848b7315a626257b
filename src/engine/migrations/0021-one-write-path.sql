-- Whether any task waits, or has waited, for this one. Whoever begins to wait sets it, and thereby changes the row, so that a
-- move that was decided on the row as it was before is not written.
alter table pawl.task add awaited boolean not null default false;
update pawl.task t set awaited = true
where exists (select from pawl.dependency d where d.org_id = t.org_id and d.blocker_id = t.id and not d.resolved);

-- Counts the changes of the settings of an org's projects: whoever has decided with settings that he knew checks it.
alter table pawl.org add settings_version integer not null default 0;

-- The answer is never searched, so it is kept as it was written. Requests that left no journal row name their task.
drop index pawl.request_without_event;
alter table pawl.request
  alter answer type json using answer::text::json,
  add task_id uuid;
update pawl.request set task_id = (answer -> 'task' ->> 'id')::uuid
where answer ->> 'outcome' in ('touched', 'absorbed');
create index request_without_event on pawl.request (org_id, task_id) where task_id is not null;

-- A fingerprint now stands for what a request means, not for how it was written. Of earlier ones only the key is compared.
update pawl.request set fingerprint = '';

-- Private tasks in a pool are few: whether a claimer has one there is asked with every claim.
create index task_private_pool on pawl.task (org_id, lifecycle) where pooled and private;
