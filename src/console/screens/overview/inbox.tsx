import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import { client } from "../../data/client.ts";
import type { InboxRequest } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queries, useMe } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { useNow } from "../../design/clock.ts";
import { Person } from "../../design/person.tsx";
import { toast } from "../../design/toasts.tsx";
import { useToastOnError } from "../../design/use-toast-on-error.ts";
import { Link } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { inboxTexts } from "./inbox-texts.ts";

/** Refused requests from SQL, for admins; absent while there are none. */
export function InboxCard() {
  const { f } = useI18n();
  const texts = useTexts(inboxTexts);
  const isAdmin = useMe().roles.includes("admin");
  const { data } = useQuery({ ...queries.inbox(), enabled: isAdmin });
  const [created, setCreated] = useState<string | null>(null);
  if (!data || (data.refused === 0 && data.waiting === 0 && created === null)) return null;
  return (
    <section className="card" aria-label={texts.title}>
      <header className="head">
        <h2>{texts.title}</h2>
        {data.refused > 0 && (
          <span className="badge" data-tone="bad">
            {f.number(data.refused)}
          </span>
        )}
        <span className="push" />
        {data.waiting > 0 && <span className="faint small">{texts.waiting(data.waiting)}</span>}
      </header>
      {created !== null && (
        <p className="body small" role="status">
          {texts.created} <Link href={addresses.task(created)}>{texts.openTask}</Link>
        </p>
      )}
      {data.requests.length === 0 ? (
        <p className="body faint">{texts.noneRefused}</p>
      ) : (
        <ul className="attention">
          {data.requests.map((request) => (
            <Request key={request.id} request={request} onCreated={setCreated} />
          ))}
        </ul>
      )}
      {data.refused > data.requests.length && (
        <p className="body faint small">{texts.more(data.refused - data.requests.length)}</p>
      )}
    </section>
  );
}

function Request({
  request,
  onCreated,
}: {
  request: InboxRequest;
  onCreated: (task_id: string | null) => void;
}) {
  const { t, f, n } = useI18n();
  const texts = useTexts(inboxTexts);
  const now = useNow(10);
  const queryClient = useQueryClient();
  const [busy, run] = useToastOnError();
  const [isConfirming, setConfirming] = useState(false);
  const { id, key, lifecycle, member_id, refused_at, refusal } = request;
  const since = refused_at ?? request.created_at;
  const change = (action: () => Promise<unknown>) =>
    run(async () => {
      await action();
      await queryClient.invalidateQueries({ queryKey: keys.inbox });
    });
  const retry = () =>
    change(async () => {
      const { outcome, task_id } = await client.retryInboxRequest({ id });
      if (outcome === "refused") toast(texts.refusedAgain, "bad");
      else onCreated(task_id);
    });
  const discard = () =>
    change(async () => {
      await client.discardInboxRequest({ id });
      toast(texts.discarded);
    });
  return (
    <li>
      <b className="cut" title={key}>
        {key === id ? `…${id.slice(-12)}` : key}
      </b>
      <span className="bad num small" title={f.moment(since)}>
        {t.overview.for(f.span((now - Date.parse(since)) / 1_000))}
      </span>
      {refusal && (
        <div className="row wrap small inbox-refusal">
          <code title={refusal.next}>{refusal.code}</code>{" "}
          <span>{n.refusal({ params: refusal, ...refusal })}</span>
        </div>
      )}
      <div className="row wrap small">
        <span className="faint">{lifecycle}</span>
        <Person id={member_id} />
        <span className="row inbox-tools">
          <Button small disabled={busy} onClick={() => void retry()}>
            {texts.retry}
          </Button>
          <Button
            small
            look="danger"
            disabled={busy}
            onClick={() => {
              if (isConfirming) void discard();
              else setConfirming(true);
            }}
          >
            {isConfirming ? texts.confirmDiscard : texts.discard}
          </Button>
        </span>
      </div>
    </li>
  );
}
