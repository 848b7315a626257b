-- Chats: what is said in them, and the ways to what their bots are busy with.

-- Enough of a chat for a page to be real. Each message has a row in the org's feed, of version 0, since it is no task's.
create table pawl.chat_message (
  org_id text not null,
  id uuid not null,
  project_id text not null,
  chat_id text not null,
  -- In the org's feed.
  position bigint not null,
  author_id text not null,
  text text not null,
  created_at timestamptz not null,
  constraint a_message_is_said_once primary key (org_id, id)
);
create unique index a_chat_has_its_messages_in_order on pawl.chat_message (org_id, project_id, chat_id, position);

-- The actions of one chat: their keys begin with the same text, and "C" compares by bytes. Over columns that no move
-- changes without leaving its page anyway; an index over something in data would make every lifecycle's moves leave theirs.
create index bot_action_of_chat on pawl.task (org_id, final, dedupe_key collate "C") where lifecycle = 'bot-actions';

-- What chats are told of: whoever reads it does not walk over the events of other lifecycles.
create index event_of_chats on pawl.event (org_id, position) where lifecycle = 'bot-actions';
