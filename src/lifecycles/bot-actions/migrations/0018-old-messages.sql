-- The key by which a message was said: when the message is too old to be kept, the answer kept for its key goes with it.
alter table pawl.chat_message add client_event_id text;
