import { useState } from "react";
import type { SyntheticEvent } from "react";
import { PawlProvider } from "../../../react/index.ts";
import {
  Button,
  client,
  LifecycleHead,
  MAIN_PROJECT,
  ProjectPicker,
  useTexts,
  useSearch,
} from "../../../console/index.ts";
import { ChatList } from "./chat-list.tsx";
import { ChatReadersCard } from "./chat-readers-card.tsx";
import { Conversation } from "./conversation.tsx";
import { TEXTS } from "./texts.ts";
import "./chat.css";

const DEFAULT_CHAT = "main";

/** A chat with its bot actions, the list of chats, and the members that may read this one. */
export default function ChatScreen({ lifecycle }: { lifecycle: string }) {
  const [search, change] = useSearch();
  const chatId = search.get("chat") ?? DEFAULT_CHAT;
  const workspaceId = search.get("project") ?? MAIN_PROJECT;
  const open = (chat: string) => {
    change({ chat });
  };
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker one />
      </LifecycleHead>
      <div className="chat-page">
        <PawlProvider client={client}>
          <Conversation key={`${workspaceId} ${chatId}`} workspaceId={workspaceId} chatId={chatId} />
        </PawlProvider>
        <div className="stack">
          <ChatPicker key={chatId} chatId={chatId} onOpen={open} />
          <ChatList lifecycle={lifecycle} workspaceId={workspaceId} chatId={chatId} onOpen={open} />
          <ChatReadersCard
            key={`${workspaceId} ${chatId} readers`}
            lifecycle={lifecycle}
            workspaceId={workspaceId}
            chatId={chatId}
          />
        </div>
      </div>
    </>
  );
}

function ChatPicker({ chatId, onOpen }: { chatId: string; onOpen: (chat: string) => void }) {
  const texts = useTexts(TEXTS);
  const [name, setName] = useState(chatId);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onOpen(name.trim());
  };
  return (
    <form className="card chat-choice" onSubmit={submit}>
      <label className="field">
        <span className="label">{texts.chat}</span>
        <span className="row">
          <input
            className="input"
            value={name}
            maxLength={200}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
          <Button type="submit" disabled={name.trim() === "" || name.trim() === chatId}>
            {texts.open}
          </Button>
        </span>
        <span className="hint">{texts.chatHint}</span>
      </label>
    </form>
  );
}
