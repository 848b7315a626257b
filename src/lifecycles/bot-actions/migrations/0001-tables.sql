-- Messages of chats. Each has a row in the org's feed, with version 0 because it does not belong to a task.
create table pawl.bot_actions_message (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  chat_id text not null,
  -- Position in the org's feed.
  position bigint not null,
  author_id text not null,
  text text not null,
  created_at timestamptz not null,
  -- When the message is pruned, the answer stored for this key is deleted with it.
  client_event_id text,
  constraint bot_actions_message_pkey primary key (org_id, id)
);
create unique index bot_actions_message_position_unique on pawl.bot_actions_message (org_id, project_id, chat_id, position);

-- Finds the actions of one chat by the common prefix of their keys; "C" compares bytes. Avoids the column data: with an index
-- on it, no update of data in any lifecycle could be a HOT update.
create index bot_actions_of_chat on pawl.task (org_id, final, dedupe_key collate "C") where lifecycle = 'bot-actions';

-- The feed of chats, without the events of other lifecycles.
create index bot_actions_event on pawl.event (org_id, position) where lifecycle = 'bot-actions';
