import { useLayoutEffect, useRef, useState } from "react";
import type { SyntheticEvent, KeyboardEvent } from "react";
import { BotActionIndicator, useBotActions, useChatMessages } from "../react/index.ts";
import type { ChatMessage } from "../bot-action.ts";
import {
  Avatar,
  Skeleton,
  Button,
  EmptyState,
  isReadOnly,
  ProblemNote,
  ErrorState,
  useDraft,
  useMe,
  useMemberNames,
  useTexts,
  useI18n,
} from "../../../console/index.ts";
import { TEXTS } from "./texts.ts";

/** Distance from the end within which the feed scrolls along with new messages. */
const END_TOLERANCE_PX = 80;

type Chat = { workspaceId: string; chatId: string };

/** The messages of a chat, the indicator of bot actions, and the input for a new message. */
export function Conversation(chat: Chat) {
  const { t, language } = useI18n();
  const { roles } = useMe();
  const texts = useTexts(TEXTS);
  const { messages, loading, problem, refetch, say } = useChatMessages(chat);
  const { actions } = useBotActions(chat);
  return (
    <section className="card conversation" aria-label={`${texts.chat} ${chat.chatId}`}>
      {messages.length > 0 ? (
        <Feed messages={messages} />
      ) : problem ? (
        <ErrorState error={problem} onRetry={refetch} />
      ) : loading ? (
        <div className="feed">
          <Skeleton lines={6} height={26} />
        </div>
      ) : (
        <div className="feed">
          <EmptyState icon="docs" title={texts.empty} hint={texts.emptyHint} />
        </div>
      )}
      <BotActionIndicator className="bot-line" actions={actions} language={language} />
      {isReadOnly(roles) ? (
        <p className="composer faint small">{t.shell.readOnly}</p>
      ) : (
        <Composer key={`${chat.workspaceId}/${chat.chatId}`} chat={chat} say={say} />
      )}
    </section>
  );
}

function Feed({ messages }: { messages: readonly ChatMessage[] }) {
  const { f } = useI18n();
  const me = useMe();
  const nameOf = useMemberNames();
  const feed = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // Keep the position of a reader who has scrolled up.
  useLayoutEffect(() => {
    const element = feed.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [messages]);
  return (
    <div
      ref={feed}
      className="feed"
      role="log"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < END_TOLERANCE_PX;
      }}
    >
      <ol>
        {messages.map((message, index) => {
          const { id, authorId, text, createdAt } = message;
          const continues = messages[index - 1]?.authorId === authorId;
          return (
            <li key={id} className="message" data-mine={authorId === me.id} data-continues={continues}>
              {!continues && <Avatar id={authorId} name={nameOf(authorId)} />}
              <div>
                {!continues && (
                  <span className="small soft">
                    <b>{nameOf(authorId)}</b>
                  </span>
                )}
                <p>{text}</p>
              </div>
              <time className="faint small num" dateTime={createdAt} title={f.moment(createdAt)}>
                {f.time(createdAt)}
              </time>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Composer({ chat, say }: { chat: Chat; say: (text: string) => Promise<unknown> }) {
  const texts = useTexts(TEXTS);
  const { values, change } = useDraft(`chat/${chat.workspaceId}/${chat.chatId}`, () => ({ text: "" }));
  const { text } = values;
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (text.trim() === "" || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await say(text.trim());
      change({ text: "" });
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form className="composer" onSubmit={submit}>
      {problem !== null && <ProblemNote problem={problem} />}
      <div className="row">
        <textarea
          className="input"
          rows={1}
          maxLength={10_000}
          aria-label={texts.placeholder}
          placeholder={texts.placeholder}
          title={texts.sayKeys}
          value={text}
          onChange={(event) => {
            change({ text: event.target.value });
          }}
          onKeyDown={onKeyDown}
        />
        <Button look="main" type="submit" disabled={busy || text.trim() === ""}>
          {texts.say}
        </Button>
      </div>
    </form>
  );
}
