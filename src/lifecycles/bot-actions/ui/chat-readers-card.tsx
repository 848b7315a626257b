import { useId, useState } from "react";
import type { SyntheticEvent } from "react";
import {
  Button,
  client,
  Icon,
  MultiPicker,
  ProblemNote,
  useLiveQuery,
  useMe,
  useMemberNames,
  useRefetch,
  useTexts,
} from "../../../console/index.ts";
import type { BOT_ACTIONS_ROUTES } from "../api.ts";
import { ROWS } from "../rows.ts";
import { TEXTS } from "./texts.ts";

const calls = client.calls<typeof BOT_ACTIONS_ROUTES>(ROWS);

/** The members that may read a chat; admins change the list. Hidden from members that may not read the chat. */
export function ChatReadersCard({
  lifecycle,
  workspaceId,
  chatId,
}: {
  lifecycle: string;
  workspaceId: string;
  chatId: string;
}) {
  const texts = useTexts(TEXTS);
  const { roles } = useMe();
  const nameOf = useMemberNames();
  const refetch = useRefetch(lifecycle);
  const { data } = useLiveQuery({
    lifecycle,
    key: ["readers", workspaceId, chatId],
    ask: (signal) => calls.getChatReaders({ workspaceId, chatId }, { signal }),
  });
  if (!data) return null;
  const save = async (readers: string[] | null) => {
    await calls.setChatReaders({ workspaceId, chatId, readers });
    await refetch();
  };
  return (
    <section className="card" aria-label={texts.readers}>
      <header className="head">
        <h2>{texts.readers}</h2>
        {data.readers && <Icon name="lock" />}
      </header>
      <p className="body small">{data.readers ? data.readers.map(nameOf).join(", ") : texts.everyMember}</p>
      {roles.includes("admin") && (
        <ReadersForm key={data.changedAt ?? ""} readers={data.readers} onSave={save} />
      )}
    </section>
  );
}

function ReadersForm({
  readers,
  onSave,
}: {
  readers: readonly string[] | null;
  onSave: (readers: string[] | null) => Promise<void>;
}) {
  const texts = useTexts(TEXTS);
  const [text, setText] = useState(readers?.join(", ") ?? "");
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    onSave(names.length === 0 ? null : names)
      .catch(setProblem)
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form className="chat-choice" onSubmit={submit}>
      {problem !== null && <ProblemNote problem={problem} />}
      <div className="field">
        <label className="label" htmlFor={id}>
          {texts.readersField}
        </label>
        <MultiPicker id={id} pick="member" value={text} describedBy={`${id}-hint`} onChange={setText} />
        <span className="hint" id={`${id}-hint`}>
          {texts.readersHint}
        </span>
        <Button type="submit" disabled={busy}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
