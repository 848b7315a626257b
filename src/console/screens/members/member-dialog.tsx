import { useId } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import type { Member } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { ProblemNote } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { MultiPicker, splitValues } from "../../forms/picker.tsx";
import type { Pick } from "../../forms/pick-choices.ts";
import { LabelledField } from "../../forms/schema-form.tsx";
import { useDraft } from "../../forms/use-draft.tsx";
import { useSubmit } from "../../forms/use-submit.ts";
import { useI18n } from "../../texts/i18n.tsx";

const KINDS = ["human", "agent", "worker", "service"] as const;

type MemberInput = Record<
  "id" | "name" | "roles" | "project_ids" | "skill_level" | "specializations",
  string
> & {
  kind: Member["kind"];
  active: boolean;
};

/** Creates or changes a member. */
export function MemberDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const draft = useDraft(`member/${member?.id ?? ""}`, () => inputOf(member), onClose);
  const { values: input, change: setInput, close } = draft;
  const { busy, problem, errors, send } = useSubmit();
  const save = async () => {
    await saveMember(member, input);
    await Promise.all([keys.members, keys.me].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    toast(t.members.saved);
    close();
  };
  const submit = () => {
    const isNumber = input.skill_level.trim() === "" || Number.isFinite(Number(input.skill_level));
    void send(save, {
      ...(input.name.trim() === "" ? { name: t.form.required } : {}),
      ...(isNumber ? {} : { skill_level: t.form.number }),
    });
  };
  const set = (name: keyof MemberInput) => (value: string) => {
    setInput({ ...input, [name]: value });
  };
  const text = (name: keyof MemberInput, label: string, hint?: string) => (
    <TextField
      label={label}
      required={name === "name"}
      hint={hint}
      error={errors[name]}
      value={String(input[name])}
      onChange={set(name)}
    />
  );
  return (
    <Dialog
      title={member ? t.members.edit(member.name) : t.members.add}
      onClose={draft.dismiss}
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
          kind={input.kind}
          onChange={(kind) => {
            setInput({ ...input, kind });
          }}
        />
      </div>
      <RolesField value={input.roles} error={errors.roles} onChange={set("roles")} />
      <ListField
        label={t.members.projects}
        hint={t.members.projectsHint}
        error={errors.project_ids}
        pick="project"
        value={input.project_ids}
        onChange={set("project_ids")}
      />
      <div className="two">
        {text("skill_level", t.members.skill)}
        {text("specializations", t.members.specializations, t.form.list)}
      </div>
      <Active
        active={input.active}
        onChange={(active) => {
          setInput({ ...input, active });
        }}
      />
    </Dialog>
  );
}

async function saveMember(member: Member | null, input: MemberInput): Promise<void> {
  const { id, ...change } = parseInput(input);
  if (member) await client.changeMember({ ...change, id: member.id });
  else await client.createMember({ ...change, ...(id === "" ? {} : { id }) });
}

function Active({ active, onChange }: { active: boolean; onChange: (active: boolean) => void }) {
  const { t } = useI18n();
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={active}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      {t.members.active}
    </label>
  );
}

/** Offers the known roles; warns about others, which no lifecycle names. */
function RolesField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { t } = useI18n();
  const roles = useKnownRoles();
  const unknown = roles ? splitValues(value).filter((role) => !roles.includes(role)) : [];
  return (
    <>
      <ListField
        label={t.members.roles}
        hint={t.members.rolesHint}
        error={error}
        pick={{ choices: (roles ?? []).map((role) => ({ value: role, label: role })), open: true }}
        value={value}
        onChange={onChange}
      />
      {unknown.length > 0 && (
        <p className="note" data-tone="warn" role="status">
          <Icon name="alert" /> <span>{t.members.unknownRoles(unknown.join(", "), unknown.length)}</span>
        </p>
      )}
    </>
  );
}

/** Roles of the server, and that of members who may do what everyone may. */
const COMMON_ROLES = ["admin", "agent", "viewer"];

/** The common roles, and those that a loaded lifecycle names; undefined while they load. */
function useKnownRoles(): string[] | undefined {
  const { data } = useQuery(queries.lifecycles());
  return data && [...new Set([...COMMON_ROLES, ...data.flatMap(({ roles }) => roles)])].sort();
}

function ListField({
  label,
  hint,
  error,
  pick,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  error: string | undefined;
  pick: Pick;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <LabelledField id={id} label={label} hint={hint} error={error}>
      <MultiPicker
        id={id}
        pick={pick}
        value={value}
        isInvalid={error !== undefined}
        describedBy={`${id}-hint`}
        onChange={onChange}
      />
    </LabelledField>
  );
}

function TextField({
  label,
  required,
  hint,
  error,
  value,
  onChange,
}: {
  label: string;
  required: boolean;
  hint: string | undefined;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <LabelledField id={id} label={label} required={required} hint={hint} error={error}>
      <input
        id={id}
        className="input"
        value={value}
        aria-invalid={error !== undefined}
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

function inputOf(member: Member | null): MemberInput {
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

function parseInput(input: MemberInput) {
  const projects = splitValues(input.project_ids);
  return {
    id: input.id.trim(),
    ...(input.name.trim() === "" ? {} : { name: input.name.trim() }),
    kind: input.kind,
    roles: splitValues(input.roles),
    project_ids: projects.length === 0 ? null : projects,
    skill_level: input.skill_level.trim() === "" ? null : Number(input.skill_level),
    specializations: splitValues(input.specializations),
    active: input.active,
  };
}
