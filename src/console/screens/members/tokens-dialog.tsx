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
import { useTexts } from "../../texts/use-texts.ts";
import { TokenFields } from "./token-fields.tsx";
import type { TokenOptions } from "./token-fields.tsx";
import { TOKEN_TEXTS } from "./token-texts.ts";

/** Lists, creates, rotates and revokes a member's tokens; a new token is shown once. */
export function TokensDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const [confirmingId, setConfirmingId] = useState<string | null>(null);
  const tokensQuery = useQuery(queries.tokens(member.id));
  const refetch = () => queryClient.invalidateQueries({ queryKey: keys.tokens(member.id) });
  const texts = useTexts(TOKEN_TEXTS);
  const create = useMutation({
    mutationFn: (options: TokenOptions) => client.createToken({ id: member.id, ...options }),
    onSuccess: refetch,
  });
  const rotate = useMutation({ mutationFn: (id: string) => client.rotateToken({ id }), onSuccess: refetch });
  const revoke = useMutation({
    mutationFn: (id: string) => client.revokeToken({ id }),
    onSuccess: () => {
      toast(t.members.revoked);
      setConfirmingId(null);
      return refetch();
    },
  });
  const [options, setOptions] = useState<TokenOptions>({ name: null, expires_in_days: null });
  const problem = create.error ?? rotate.error ?? revoke.error;
  const fresh = create.data ?? rotate.data;
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
            rotate.reset();
            create.mutate(options);
          }}
        >
          {t.members.newToken}
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {fresh && (
        <div className="secret" role="status">
          <span>{t.members.newTokenHint}</span>
          {rotate.data && <span>{texts.overlap}</span>}
          <CopyText text={fresh.token} />
        </div>
      )}
      <TokenFields options={options} onChange={setOptions} />
      <Loaded compact of={[tokensQuery]} placeholder={<Skeleton lines={2} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState compact icon="key" title={t.members.noTokens} />
          ) : (
            <ul className="token-list">
              {tokens.map((token) => (
                <TokenItem
                  key={token.id}
                  token={token}
                  isNew={token.id === fresh?.id}
                  isConfirming={token.id === confirmingId}
                  busy={rotate.isPending || revoke.isPending}
                  onRotate={() => {
                    create.reset();
                    rotate.mutate(token.id);
                  }}
                  onRevoke={() => {
                    if (confirmingId === token.id) revoke.mutate(token.id);
                    else setConfirmingId(token.id);
                  }}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

type Token = ReplyOf<typeof ROUTES.listTokens>["tokens"][number];

type TokenItemProps = {
  token: Token;
  isNew: boolean;
  /** The first click on revoke was made. */
  isConfirming: boolean;
  busy: boolean;
  onRotate: () => void;
  onRevoke: () => void;
};

function TokenItem({ token, isNew, isConfirming, busy, onRotate, onRevoke }: TokenItemProps) {
  const { t } = useI18n();
  const texts = useTexts(TOKEN_TEXTS);
  const describe = useTokenDescription();
  return (
    <li>
      <span>
        {describe(token)} {isNew && <b>{t.members.thisToken}</b>}
      </span>
      <span className="push" />
      {isConfirming && <span className="small">{t.members.confirmRevoke}</span>}
      {/* Pawl finds its own tokens in files and variables, and lifecycles replace the confined ones. */}
      {!isConfirming && token.created_by !== null && token.confined_to === null && (
        <Button small disabled={busy} onClick={onRotate}>
          {texts.rotate}
        </Button>
      )}
      <Button small look="danger" disabled={busy} onClick={onRevoke}>
        {t.members.revoke}
      </Button>
    </li>
  );
}

/** Describes a token: its name and last use, when and by whom it was created, when it expires, and what it is confined to. */
function useTokenDescription() {
  const { t, f } = useI18n();
  const texts = useTexts(TOKEN_TEXTS);
  const nameOf = useMemberNames();
  return ({ name, last_used_at, created_at, created_by, confined_to, expires_at }: Omit<Token, "id">) =>
    [
      ...(name === null ? [] : [name]),
      created_by === null
        ? t.members.createdAtSetup(f.moment(created_at))
        : t.members.createdBy(f.moment(created_at), nameOf(created_by)),
      last_used_at === null ? texts.neverUsed : texts.used(f.moment(last_used_at)),
      ...(expires_at === null ? [] : [t.members.expires(f.moment(expires_at))]),
      ...(confined_to === null ? [] : [t.members.confined(String(confined_to.kind))]),
    ].join(" · ");
}
