import { client, Icon, Loaded, useI18n, useLiveQuery, useNow, useTexts } from "../../../console/index.ts";
import type { BOT_ACTIONS_ROUTES } from "../api.ts";
import { ROWS } from "../rows.ts";
import { botActionText } from "../react/index.ts";
import { TEXTS } from "./texts.ts";

/** Messages cause no task event, so the list is also polled. */
const POLL_INTERVAL_MS = 10_000;

const calls = client.calls<typeof BOT_ACTIONS_ROUTES>(ROWS);

/** The chats of a project that the reader may read, last active first, with the processing actions of each. */
export function ChatList({
  lifecycle,
  workspaceId,
  chatId,
  onOpen,
}: {
  lifecycle: string;
  workspaceId: string;
  chatId: string;
  onOpen: (chat: string) => void;
}) {
  const { f, language } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(5);
  const chats = useLiveQuery({
    lifecycle,
    key: ["chats", workspaceId],
    everyMs: POLL_INTERVAL_MS,
    ask: (signal) => calls.listChats({ workspaceId }, { signal }),
  });
  return (
    <section className="card" aria-label={texts.chats}>
      <header className="head">
        <h2>{texts.chats}</h2>
      </header>
      <Loaded of={[chats]} placeholder={null} compact>
        {({ chats: listed }) =>
          listed.length === 0 ? (
            <p className="body faint">{texts.chatsEmpty}</p>
          ) : (
            <ul className="chat-list">
              {listed.map((chat) => (
                <li key={chat.chatId}>
                  <button
                    type="button"
                    aria-current={chat.chatId === chatId}
                    onClick={() => {
                      onOpen(chat.chatId);
                    }}
                  >
                    <b className="cut" title={chat.restricted ? texts.restricted : undefined}>
                      {chat.chatId}
                      {chat.restricted && <Icon name="lock" />}
                    </b>
                    {chat.action && <span className="small cut">{botActionText(chat.action, language)}</span>}
                    <span className="faint small num">
                      {chat.processing > 0 && `${texts.doing(chat.processing)} · `}
                      {f.span((now - Date.parse(chat.lastActivityAt)) / 1_000)}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
