import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import type { Project } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Skeleton, ProblemNote } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { SchemaForm } from "../../forms/schema-form.tsx";
import { fieldsOf, readValues, valuesFrom } from "../../forms/schema.ts";
import type { Field, Values } from "../../forms/schema.ts";
import { useDraft } from "../../forms/use-draft.tsx";
import { useSubmit } from "../../forms/use-submit.ts";
import { useI18n } from "../../texts/i18n.tsx";

/** A project's own settings for a lifecycle; an empty field means the default. */
export function ProjectSettings({
  project,
  lifecycle,
  onClose,
}: {
  project: Project;
  lifecycle: string;
  onClose: () => void;
}) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const { data } = useQuery(queries.lifecycle(lifecycle));
  const fields = fieldsOf(data?.settings?.schema).map((field) =>
    withDefault(field, data?.settings?.defaults[field.name]),
  );
  const own = (project.settings[lifecycle] ?? {}) as Values;
  const initial = (): { values: Values | null } => ({ values: null });
  const draft = useDraft(`settings/${project.id}/${lifecycle}`, initial, onClose);
  const { busy, problem, errors, send } = useSubmit();
  const input = draft.values.values ?? valuesFrom(fields, own);
  const save = async () => {
    const { payload, errors: found } = readValues(fields, input, t.form);
    await send(async () => {
      const settings = { [lifecycle]: withRemovedAsNull(own, payload) };
      await client.changeProject({ id: project.id, settings });
      await queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(t.settings.saved);
      draft.close();
    }, found);
  };
  return (
    <Dialog
      title={t.settings.settingsOf(lifecycle, project.name)}
      lead={t.settings.projectsHint}
      onClose={draft.dismiss}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onClick={draft.close}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy || fields.length === 0}>
            {t.common.save}
          </Button>
        </>
      }
    >
      {draft.note}
      {problem !== null && <ProblemNote problem={problem} />}
      {!data && <Skeleton />}
      {data && fields.length === 0 && <p className="soft">{t.lifecycle.noSettings}</p>}
      <SchemaForm
        fields={fields}
        values={input}
        errors={errors}
        onChange={(values) => {
          draft.change({ values });
        }}
      />
    </Dialog>
  );
}

/** Passes the default of a group on to its fields. */
function withDefault(field: Field, defaultValue: unknown): Field {
  const defaults = (defaultValue ?? {}) as Values;
  return {
    ...field,
    required: false,
    defaultValue: defaultValue,
    fields: field.fields.map((inner) => withDefault(inner, defaults[inner.name])),
  };
}

/** Adds null for each setting that was removed; the server then restores its default. */
function withRemovedAsNull(before: Values, now: Values): Values {
  const removed = Object.keys(before).filter((name) => !(name in now));
  return {
    ...Object.fromEntries(
      Object.entries(now).map(([name, value]) => [
        name,
        isGroup(value) && isGroup(before[name]) ? withRemovedAsNull(before[name], value) : value,
      ]),
    ),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}

function isGroup(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
