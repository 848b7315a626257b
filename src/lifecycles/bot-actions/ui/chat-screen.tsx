import { useState } from "react";
import type { SyntheticEvent } from "react";
import { PawlProvider } from "../../../react/index.ts";
import {
  Button,
  client,
  LifecycleHead,
  MAIN_PROJECT,
  ProjectPicker,
  useLiveQuery,
  useNow,
  useTexts,
  useSearch,
  useI18n,
} from "../../../console/index.ts";
import type { Task } from "../../../console/index.ts";
import { Conversation } from "./conversation.tsx";
import { TEXTS } from "./texts.ts";
import "./chat.css";

const DEFAULT_CHAT = "main";
const MAX_BUSY_ACTIONS = 100;

/** A chat with its bot actions, and a list of other chats in which bots are busy. */
export default function ChatScreen({ lifecycle }: { lifecycle: string }) {
  const [search, change] = useSearch();
  const chatId = search.get("chat") ?? DEFAULT_CHAT;
  const workspaceId = search.get("project") ?? MAIN_PROJECT;
  const open = (chat: string, project?: string) => {
    change({
      chat,
      ...(project === undefined ? {} : { project: project === MAIN_PROJECT ? null : project }),
    });
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
          <BusyChats lifecycle={lifecycle} chatId={chatId} onOpen={open} />
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

type BusyChat = { chatId: string; project_id: string; actions: number; since: string };

function BusyChats({
  lifecycle,
  chatId,
  onOpen,
}: {
  lifecycle: string;
  chatId: string;
  onOpen: (chat: string, project: string) => void;
}) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(5);
  const { data } = useLiveQuery({
    lifecycle,
    key: ["busy"],
    ask: (signal) =>
      client.listTasks(
        { lifecycle, status: ["processing"], order: "desc", limit: MAX_BUSY_ACTIONS },
        { signal },
      ),
  });
  const busy = busyChats(data?.tasks ?? []);
  return (
    <section className="card">
      <header className="head">
        <h2>{texts.busyChats}</h2>
        {busy.length > 0 && <span className="badge">{busy.length}</span>}
      </header>
      {busy.length === 0 ? (
        <p className="body faint">{texts.busyEmpty}</p>
      ) : (
        <ul className="busy-chats">
          {busy.map((chat) => (
            <li key={`${chat.project_id} ${chat.chatId}`}>
              <button
                type="button"
                aria-current={chat.chatId === chatId}
                onClick={() => {
                  onOpen(chat.chatId, chat.project_id);
                }}
              >
                <b className="cut">{chat.chatId}</b>
                <span className="faint small num">
                  {texts.doing(chat.actions)} · {f.span((now - Date.parse(chat.since)) / 1_000)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function busyChats(tasks: readonly Task[]): BusyChat[] {
  const chats = new Map<string, BusyChat>();
  for (const { project_id, data, created_at } of tasks) {
    const chatId = String(data.chatId);
    const key = JSON.stringify([project_id, chatId]);
    const counted = chats.get(key);
    chats.set(key, { chatId, project_id, actions: (counted?.actions ?? 0) + 1, since: created_at });
  }
  return [...chats.values()];
}
