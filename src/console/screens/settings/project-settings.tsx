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
import { useSending } from "../../forms/use-sending.ts";
import { useI18n } from "../../texts/i18n.tsx";

/** What a project sets of its own for a lifecycle; a field that is empty has the default. */
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
  const { busy, problem, mistakes, send } = useSending();
  const written = draft.values.values ?? valuesFrom(fields, own);
  const save = async () => {
    const { payload, mistakes: found } = readValues(fields, written, t.form);
    await send(async () => {
      const settings = { [lifecycle]: withoutGone(own, payload) };
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
      onClose={draft.close}
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
        values={written}
        mistakes={mistakes}
        onChange={(values) => {
          draft.change({ values });
        }}
      />
    </Dialog>
  );
}

/** The default of a group stands in the parts of it. */
function withDefault(field: Field, byDefault: unknown): Field {
  const known = (byDefault ?? {}) as Values;
  return {
    ...field,
    required: false,
    byDefault,
    fields: field.fields.map((inner) => withDefault(inner, known[inner.name])),
  };
}

/** What was set and is no more is brought back to its default, by null. */
function withoutGone(before: Values, now: Values): Values {
  const gone = Object.keys(before).filter((name) => !(name in now));
  return {
    ...Object.fromEntries(
      Object.entries(now).map(([name, value]) => [
        name,
        isGroup(value) && isGroup(before[name]) ? withoutGone(before[name], value) : value,
      ]),
    ),
    ...Object.fromEntries(gone.map((name) => [name, null])),
  };
}

function isGroup(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
