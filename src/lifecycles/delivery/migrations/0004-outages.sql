-- Outages of the storage or of Telegram, during which workers claim nothing. A row is kept after the end, so that an outage
-- that soon begins again continues with its backoff and without a second notice. Replaces delivery_source.
create table pawl.delivery_outage (
  org_id text not null,
  side text not null constraint delivery_outage_side_known check (side in ('storage', 'telegram')),
  code text not null,
  reason text not null,
  since timestamptz not null,
  probes integer not null default 0,
  -- The worker that probes next moves this time ahead, so that only one worker probes at a time.
  probe_at timestamptz not null,
  ended_at timestamptz,
  constraint delivery_outage_pkey primary key (org_id, side)
);
insert into pawl.delivery_outage (org_id, side, code, reason, since, probe_at)
select s.org_id, 'storage', 'SOURCE_TOKEN_INVALID', s.reason, s.needs_admin_since, s.needs_admin_since
from pawl.delivery_source s;

-- Failed jobs by the time of their failure.
create index delivery_task_failed on pawl.task (org_id, updated_at) where lifecycle = 'delivery' and status = 'FAILED';
