-- The members that may read a chat. Without a row, or with null: every member of the project. The list is copied to the chat's tasks
-- (pawl.task.readers), so that every read of tasks and events respects it. Each change has a row in the org's feed.
create table pawl.bot_actions_chat (
  org_id text not null,
  project_id text not null,
  chat_id text not null,
  readers text[],
  changed_by text,
  changed_at timestamptz not null,
  constraint bot_actions_chat_pkey primary key (org_id, project_id, chat_id)
);
