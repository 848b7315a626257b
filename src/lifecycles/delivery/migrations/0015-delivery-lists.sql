-- From now on looks at a folder have names that sort by when they began: whatever was seen until now was seen before them.
update pawl.delivery_file set scan = '';

-- Jobs by their age, without those of other lifecycles between them. Over columns that no move changes.
create index task_of_delivery on pawl.task (org_id, id) where lifecycle = 'delivery';
