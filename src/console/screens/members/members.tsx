import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Member } from "../../data/client.ts";
import { queries, useMe } from "../../data/queries.ts";
import { Button, IconButton } from "../../design/button.tsx";
import { Avatar } from "../../design/person.tsx";
import { Loaded } from "../../design/loaded.tsx";
import { Skeleton } from "../../design/states.tsx";
import { useSearch } from "../../router.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { MemberDialog } from "./member-dialog.tsx";
import { TokensDialog } from "./tokens-dialog.tsx";
import "./members.css";

type Open = { kind: "member"; member: Member | null } | { kind: "tokens"; member: Member };

/** Members with their roles, projects and tokens. */
export function Members() {
  const { t } = useI18n();
  usePageTitle(t.members.title);
  const me = useMe();
  const isAdmin = me.roles.includes("admin");
  const members = useQuery(queries.members());
  const [search, change] = useSearch();
  const [open, setOpen] = useState<Open | null>(null);
  const text = search.get("q") ?? "";
  const asked = members.data?.find(({ id }) => id === search.get("edit"));
  const edited = open ?? (isAdmin && asked ? ({ kind: "member", member: asked } as const) : null);
  const matches = ({ id, name, roles }: Member) =>
    [id, name, ...roles].join(" ").toLowerCase().includes(text.toLowerCase());
  const close = () => {
    setOpen(null);
    change({ edit: null });
  };
  return (
    <>
      <header className="page-head">
        <h1>{t.members.title}</h1>
        <span className="push" />
        <input
          className="input small finder-field"
          type="search"
          aria-label={t.members.find}
          placeholder={t.members.find}
          value={text}
          onChange={(event) => {
            change({ q: event.target.value });
          }}
        />
        {isAdmin && (
          <Button
            look="main"
            icon="plus"
            onClick={() => {
              setOpen({ kind: "member", member: null });
            }}
          >
            {t.members.add}
          </Button>
        )}
      </header>
      {!isAdmin && <p className="soft">{t.members.onlyAdmins}</p>}
      <Loaded of={[members]} placeholder={<Skeleton lines={6} height={36} />}>
        {(all) => (
          <div className="card scroll-x" tabIndex={0} role="region" aria-label={t.members.title}>
            <table className="plain-table members">
              <thead>
                <tr>
                  <th scope="col">{t.members.name}</th>
                  <th scope="col">{t.members.kind}</th>
                  <th scope="col">{t.members.roles}</th>
                  <th scope="col">{t.members.projects}</th>
                  <th scope="col">
                    <span className="unseen">{t.common.more}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.filter(matches).map((member) => (
                  <Row
                    key={member.id}
                    member={member}
                    isMe={member.id === me.id}
                    isAdmin={isAdmin}
                    onOpen={setOpen}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
      {edited?.kind === "member" && <MemberDialog member={edited.member} onClose={close} />}
      {edited?.kind === "tokens" && <TokensDialog member={edited.member} onClose={close} />}
    </>
  );
}

type RowProps = { member: Member; isMe: boolean; isAdmin: boolean; onOpen: (open: Open) => void };

function Row({ member, isMe, isAdmin, onOpen }: RowProps) {
  const { t } = useI18n();
  return (
    <tr data-inactive={!member.active}>
      <td>
        <span className="row">
          <Avatar id={member.id} name={member.name} />
          <span className="stack name">
            <b>
              {member.name} {isMe && <span className="tag">{t.members.you}</span>}
            </b>
            <code className="faint">{member.id}</code>
          </span>
          {!member.active && (
            <span className="chip" data-tone="bad">
              {t.members.inactive}
            </span>
          )}
        </span>
      </td>
      <td>{t.members.kinds[member.kind]}</td>
      <td>
        <span className="row wrap">
          {member.roles.map((role) => (
            <span key={role} className="tag">
              {role}
            </span>
          ))}
        </span>
      </td>
      <td className="soft">
        {member.project_ids === null
          ? t.members.everyProject
          : member.project_ids.join(", ") || t.members.noProject}
      </td>
      <td>
        {isAdmin && (
          <span className="row buttons">
            <IconButton
              icon="key"
              small
              label={t.members.tokensOf(member.name)}
              onClick={() => {
                onOpen({ kind: "tokens", member });
              }}
            />
            <IconButton
              icon="edit"
              small
              label={t.members.edit(member.name)}
              onClick={() => {
                onOpen({ kind: "member", member });
              }}
            />
          </span>
        )}
      </td>
    </tr>
  );
}
