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

/** Lists, creates and revokes a member's tokens; a new token is shown once. */
export function TokensDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const describe = useTokenDescription();
  const [confirmingId, setConfirmingId] = useState<string | null>(null);
  const tokensQuery = useQuery(queries.tokens(member.id));
  const refetch = () => queryClient.invalidateQueries({ queryKey: keys.tokens(member.id) });
  const create = useMutation({ mutationFn: () => client.createToken({ id: member.id }), onSuccess: refetch });
  const revoke = useMutation({
    mutationFn: (id: string) => client.revokeToken({ id }),
    onSuccess: () => {
      toast(t.members.revoked);
      setConfirmingId(null);
      return refetch();
    },
  });
  const problem = create.error ?? revoke.error;
  return (
    <Dialog
      title={t.members.tokensOf(member.name)}
      onClose={onClose}
      foot={
        <Button
          look="main"
          icon="key"
          disabled={create.isPending}
          onClick={() => {
            create.mutate();
          }}
        >
          {t.members.newToken}
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {create.data && (
        <div className="secret" role="status">
          <span>{t.members.newTokenHint}</span>
          <CopyText text={create.data.token} />
        </div>
      )}
      <Loaded compact of={[tokensQuery]} placeholder={<Skeleton lines={2} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState compact icon="key" title={t.members.noTokens} />
          ) : (
            <ul className="token-list">
              {tokens.map(({ id, ...token }) => (
                <li key={id}>
                  <span>
                    {describe(token)} {id === create.data?.id && <b>{t.members.thisToken}</b>}
                  </span>
                  <span className="push" />
                  {confirmingId === id && <span className="small">{t.members.confirmRevoke}</span>}
                  <Button
                    small
                    look="danger"
                    disabled={revoke.isPending}
                    onClick={() => {
                      if (confirmingId === id) revoke.mutate(id);
                      else setConfirmingId(id);
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

/** Describes a token: when and by whom it was created, when it expires, and what it is confined to. */
function useTokenDescription() {
  const { t, f } = useI18n();
  const nameOf = useMemberNames();
  return ({ created_at, created_by, confined_to, expires_at }: Omit<Token, "id">) =>
    [
      created_by === null
        ? t.members.createdAtSetup(f.moment(created_at))
        : t.members.createdBy(f.moment(created_at), nameOf(created_by)),
      ...(expires_at === null ? [] : [t.members.expires(f.moment(expires_at))]),
      ...(confined_to === null ? [] : [t.members.confined(String(confined_to.kind))]),
    ].join(" · ");
}
