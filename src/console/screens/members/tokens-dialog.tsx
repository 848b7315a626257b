import { useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReplyOf, ROUTES } from "../../../api/index.ts";
import { client } from "../../data/client.ts";
import type { Member } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { useMemberNames } from "../../data/members.tsx";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { CopyText } from "../../design/copy-text.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton, EmptyState, ProblemNote } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { useI18n } from "../../texts/i18n.tsx";

/** The tokens by which a member is known: made, shown once, revoked. */
export function TokensDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const origin = useOrigin();
  const [asked, setAsked] = useState<string | null>(null);
  const made = useQuery(queries.tokens(member.id));
  const stale = () => queryClient.invalidateQueries({ queryKey: keys.tokens(member.id) });
  const make = useMutation({ mutationFn: () => client.createToken({ id: member.id }), onSuccess: stale });
  const revoke = useMutation({
    mutationFn: (id: string) => client.revokeToken({ id }),
    onSuccess: () => {
      toast(t.members.revoked);
      setAsked(null);
      return stale();
    },
  });
  const problem = make.error ?? revoke.error;
  return (
    <Dialog
      title={t.members.tokensOf(member.name)}
      onClose={onClose}
      foot={
        <Button
          look="main"
          icon="key"
          disabled={make.isPending}
          onClick={() => {
            make.mutate();
          }}
        >
          {t.members.newToken}
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {make.data && (
        <div className="secret" role="status">
          <span>{t.members.newTokenIs}</span>
          <CopyText text={make.data.token} />
        </div>
      )}
      <Loaded compact of={[made]} placeholder={<Skeleton lines={2} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState compact icon="key" title={t.members.noTokens} />
          ) : (
            <ul className="token-list">
              {tokens.map(({ id, ...token }) => (
                <li key={id}>
                  <span className="stack tight">
                    <code className="small">…{id.slice(-12)}</code>
                    <span className="faint small">{origin(token)}</span>
                  </span>
                  <span className="push" />
                  {asked === id && <span className="small">{t.members.revokeSure}</span>}
                  <Button
                    small
                    look="danger"
                    disabled={revoke.isPending}
                    onClick={() => {
                      if (asked === id) revoke.mutate(id);
                      else setAsked(id);
                    }}
                  >
                    {t.members.revoke}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

type Token = ReplyOf<typeof ROUTES.listTokens>["tokens"][number];

/** Tells when a token was made and by whom, when it expires, and what it is confined to. */
function useOrigin() {
  const { t, f } = useI18n();
  const nameOf = useMemberNames();
  return ({ created_at, created_by, confined_to, expires_at }: Omit<Token, "id">) =>
    [
      created_by === null
        ? t.members.madeBySetup(f.moment(created_at))
        : t.members.made(f.moment(created_at), nameOf(created_by)),
      ...(expires_at === null ? [] : [t.members.expires(f.moment(expires_at))]),
      ...(confined_to === null ? [] : [t.members.confined(String(confined_to.kind))]),
    ].join(" · ");
}
