import { StrictMode, useState } from "react";
import type { SyntheticEvent } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "pawl/client";
import { BotActionIndicator, PawlProvider, useBotActions, useChatMessages } from "pawl/react";

// ?url= the server's URL (default: the server of this page), ?chat= the chat, #token= your token.
const query = new URLSearchParams(location.search);
const url = query.get("url") ?? "/";
const chat = { workspaceId: query.get("workspace") ?? "main", chatId: query.get("chat") ?? "demo" };
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

function Chat() {
  const { actions } = useBotActions(chat);
  const { messages, problem, say } = useChatMessages(chat);
  return (
    <>
      <h1>Чат</h1>
      <ol aria-label="Сообщения">
        {messages.map(({ id, authorId, text }) => (
          <li key={id}>
            <b>{authorId}</b>
            {text}
          </li>
        ))}
      </ol>
      <BotActionIndicator className="busy" actions={actions} />
      {problem && <p role="alert">{problem.message}</p>}
      <SayForm say={say} />
    </>
  );
}

function SayForm({ say }: { say: (text: string) => Promise<unknown> }) {
  const [text, setText] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    void say(text).then(() => {
      setText("");
    });
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Сообщение"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <button>Отправить</button>
    </form>
  );
}

const root = document.getElementById("chat");
if (root)
  createRoot(root).render(
    <StrictMode>
      <PawlProvider client={createClient({ url, token })}>
        <Chat />
      </PawlProvider>
    </StrictMode>,
  );
