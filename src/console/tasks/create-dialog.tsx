import { useId, useMemo } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../data/client.ts";
import type { Lifecycle } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { placeTask } from "../data/live.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ProblemNote } from "../design/states.tsx";
import { toast } from "../design/toasts.tsx";
import { FoldedForm, LabelledField } from "../forms/schema-form.tsx";
import { FormPlaceContext } from "../forms/pick-choices.ts";
import { fieldsOf, generatedValues, readValues, withFieldUi } from "../forms/schema.ts";
import type { Values } from "../forms/schema.ts";
import { useDraft } from "../forms/use-draft.tsx";
import { useSubmit } from "../forms/use-submit.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { NamesOf, useI18n } from "../texts/i18n.tsx";
import { ProjectSelect } from "./project-select.tsx";

type Draft = { values: Values; project: string };

type CreateProps = { lifecycle: Lifecycle; project_id: string | null; onClose: () => void };

/** Asks for the fields of a lifecycle's creation and creates a task. */
export function CreateDialog(props: CreateProps) {
  return (
    <NamesOf lifecycle={props.lifecycle.name}>
      <CreateForm {...props} />
    </NamesOf>
  );
}

function CreateForm({ lifecycle, project_id, onClose }: CreateProps) {
  const { t, language } = useI18n();
  const uiOf = useUi();
  const queryClient = useQueryClient();
  const ui = uiOf(lifecycle.name);
  const fields = useMemo(
    () => withFieldUi(fieldsOf(lifecycle.creation.input), ui.fields, { creates: true }),
    [lifecycle, ui],
  );
  const initial = (): Draft => ({ values: generatedValues(fields), project: project_id ?? "main" });
  const {
    values: draft,
    change,
    close,
    dismiss,
    note,
  } = useDraft(`create/${lifecycle.name}`, initial, onClose);
  const { busy, problem, errors, send } = useSubmit();
  const id = useId();
  const place = useMemo(
    () => ({ lifecycle: lifecycle.name, project: draft.project }),
    [lifecycle.name, draft.project],
  );
  const submit = async () => {
    const { payload, errors: found } = readValues(fields, draft.values, t.form);
    await send(async () => {
      const task = await client.createTask({
        ...payload,
        lifecycle: lifecycle.name,
        project_id: draft.project,
      });
      placeTask(queryClient, task.id, task);
      void queryClient.invalidateQueries({ queryKey: keys.overviews });
      toast(t.board.created(task.title));
      close();
    }, found);
  };
  return (
    <Dialog
      title={t.board.newTaskIn(lifecycle.name)}
      lead={ui.texts[language]?.summary ?? lifecycle.summary}
      onClose={dismiss}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={close}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy}>
            {t.common.create}
          </Button>
        </>
      }
    >
      {note}
      {problem !== null && <ProblemNote problem={problem} />}
      <FormPlaceContext value={place}>
        <FoldedForm
          fields={fields}
          values={draft.values}
          errors={errors}
          onChange={(values) => {
            change({ ...draft, values });
          }}
        />
      </FormPlaceContext>
      <LabelledField id={id} label={t.filters.project} required>
        <ProjectSelect
          id={id}
          value={draft.project}
          onChange={(project) => {
            change({ ...draft, project });
          }}
        />
      </LabelledField>
    </Dialog>
  );
}
