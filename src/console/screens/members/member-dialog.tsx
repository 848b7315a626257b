import { useId } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import type { Member } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { ProblemNote } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { LabelledField } from "../../forms/schema-form.tsx";
import { useDraft } from "../../forms/use-draft.tsx";
import { useSending } from "../../forms/use-sending.ts";
import { useI18n } from "../../texts/i18n.tsx";

const KINDS = ["human", "agent", "worker", "service"] as const;

type Written = Record<"id" | "name" | "roles" | "project_ids" | "skill_level" | "specializations", string> & {
  kind: Member["kind"];
  active: boolean;
};

/** A new member, or changes of one that is there. */
export function MemberDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const draft = useDraft(`member/${member?.id ?? ""}`, () => writtenOf(member), onClose);
  const { values: written, change: setWritten, close } = draft;
  const { busy, problem, mistakes, send } = useSending();
  const save = async () => {
    const { id, ...change } = readOf(written);
    if (member) await client.changeMember({ ...change, id: member.id });
    else await client.createMember({ ...change, ...(id === "" ? {} : { id }) });
    await queryClient.invalidateQueries({ queryKey: keys.members });
    toast(t.members.saved);
    close();
  };
  const submit = () => {
    const isNumber = written.skill_level.trim() === "" || Number.isFinite(Number(written.skill_level));
    void send(save, isNumber ? {} : { skill_level: t.form.number });
  };
  const text = (name: keyof Written, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      mistake={mistakes[name]}
      value={String(written[name])}
      onChange={(value) => {
        setWritten({ ...written, [name]: value });
      }}
    />
  );
  return (
    <Dialog
      title={member ? t.members.edit(member.name) : t.members.add}
      onClose={close}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={close}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy}>
            {member ? t.common.save : t.common.create}
          </Button>
        </>
      }
    >
      {draft.note}
      {problem !== null && <ProblemNote problem={problem} />}
      {!member && text("id", t.members.id, t.members.idHint)}
      <div className="two">
        {text("name", t.members.name)}
        <Kind
          kind={written.kind}
          onChange={(kind) => {
            setWritten({ ...written, kind });
          }}
        />
      </div>
      {text("roles", t.members.roles, t.members.rolesHint)}
      {text("project_ids", t.members.projects, t.members.projectsHint)}
      <div className="two">
        {text("skill_level", t.members.skill)}
        {text("specializations", t.members.specializations, t.form.list)}
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={written.active}
          onChange={(event) => {
            setWritten({ ...written, active: event.target.checked });
          }}
        />
        {t.members.active}
      </label>
    </Dialog>
  );
}

function TextField({
  label,
  hint,
  mistake,
  value,
  onChange,
}: {
  label: string;
  hint: string | undefined;
  mistake: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <LabelledField id={id} label={label} hint={hint} mistake={mistake}>
      <input
        id={id}
        className="input"
        value={value}
        aria-invalid={mistake !== undefined}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </LabelledField>
  );
}

function Kind({ kind, onChange }: { kind: Member["kind"]; onChange: (kind: Member["kind"]) => void }) {
  const { t } = useI18n();
  const id = useId();
  return (
    <LabelledField id={id} label={t.members.kind} required>
      <select
        id={id}
        className="input"
        value={kind}
        onChange={(event) => {
          onChange(KINDS.find((one) => one === event.target.value) ?? "human");
        }}
      >
        {KINDS.map((one) => (
          <option key={one} value={one}>
            {t.members.kinds[one]}
          </option>
        ))}
      </select>
    </LabelledField>
  );
}

function writtenOf(member: Member | null): Written {
  return {
    id: member?.id ?? "",
    name: member?.name ?? "",
    kind: member?.kind ?? "human",
    roles: member?.roles.join(", ") ?? "",
    project_ids: member?.project_ids?.join(", ") ?? "",
    skill_level: member?.skill_level?.toString() ?? "",
    specializations: member?.specializations.join(", ") ?? "",
    active: member?.active ?? true,
  };
}

function readOf(written: Written) {
  const projects = listOf(written.project_ids);
  return {
    id: written.id.trim(),
    ...(written.name.trim() === "" ? {} : { name: written.name.trim() }),
    kind: written.kind,
    roles: listOf(written.roles),
    project_ids: projects.length === 0 ? null : projects,
    skill_level: written.skill_level.trim() === "" ? null : Number(written.skill_level),
    specializations: listOf(written.specializations),
    active: written.active,
  };
}

function listOf(text: string): string[] {
  return text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}
