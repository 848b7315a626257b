import { useId, useState } from "react";
import type { KeyboardEvent, ReactNode, SubmitEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Button, IconButton } from "../../design/button.tsx";
import { ProblemNote } from "../../design/states.tsx";
import { LabelledField, SchemaForm } from "../../forms/schema-form.tsx";
import { fieldsOf, readValues, valuesFrom, withFieldUi } from "../../forms/schema.ts";
import type { Field } from "../../forms/schema.ts";
import { useDraft } from "../../forms/use-draft.tsx";
import { useSubmit } from "../../forms/use-submit.ts";
import { useUi } from "../../plugins/lifecycle-ui.ts";
import { actionOf, buildMove } from "../../tasks/build-move.ts";
import { useTaskAction } from "../../tasks/use-task-action.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { taskTexts } from "./task-texts.ts";

/** The action that changes fields of a task. */
const EDIT = "edit";

/** A value of a task, with a button to edit it where it is if the member may. */
export function EditInPlace({ task, name, children }: { task: Task; name: string; children: ReactNode }) {
  const { n } = useI18n();
  const t = useTexts(taskTexts);
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const { data: actions = [] } = useQuery(queries.actions(task.id));
  const [editing, setEditing] = useState(false);
  const ui = useUi()(task.lifecycle);
  const spec = lifecycle && actionOf(lifecycle, EDIT);
  const field = withFieldUi(fieldsOf(spec?.input), ui.fields, { creates: false }).find(
    (one) => one.name === name,
  );
  const isAllowed = actions.some(({ action, allowed }) => action === EDIT && allowed);
  if (lifecycle && field && editing)
    return (
      <Editor
        task={task}
        lifecycle={lifecycle}
        field={field}
        onClose={() => {
          setEditing(false);
        }}
      />
    );
  if (!field || !isAllowed || spec?.lease_token === "required") return children;
  return (
    <div className="in-place">
      <div className="in-place-value">{children}</div>
      <IconButton
        icon="edit"
        small
        label={t.editField(n.field(name))}
        onClick={() => {
          setEditing(true);
        }}
      />
    </div>
  );
}

function Editor({
  task,
  lifecycle,
  field,
  onClose,
}: {
  task: Task;
  lifecycle: Lifecycle;
  field: Field;
  onClose: () => void;
}) {
  const { t } = useI18n();
  const { name } = field;
  const valueNow = name in task ? task[name as keyof Task] : task.data[name];
  const [opened] = useState({ value: JSON.stringify(valueNow), version: task.row_version });
  const spec = actionOf(lifecycle, EDIT);
  const asksComment = spec?.comment === "required";
  const commentId = useId();
  const begin = () => ({ values: valuesFrom([field], { [name]: valueNow }), comment: "" });
  const { values: draft, change, close, dismiss, note } = useDraft(`edit/${task.id}/${name}`, begin, onClose);
  const { perform } = useTaskAction(lifecycle.name, task);
  const { busy, problem, errors, send } = useSubmit();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!spec) return;
    const { payload, errors: found } = readValues([field], draft.values, t.form);
    if (asksComment && draft.comment.trim() === "") found.comment = t.form.required;
    if (field.nullable && payload[name] === undefined) payload[name] = null;
    // A later version is refused only if it has another value here: the edit changes nothing else.
    const row_version = JSON.stringify(valueNow) === opened.value ? task.row_version : opened.version;
    void send(async () => {
      await perform(buildMove(spec, { ...task, row_version }, { payload, comment: draft.comment }));
      close();
    }, found);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    dismiss();
  };
  return (
    <form className="in-place-form" onSubmit={submit} onKeyDown={onKeyDown} ref={focusField}>
      {note}
      {problem !== null && <ProblemNote problem={problem} />}
      <SchemaForm
        fields={[field]}
        values={draft.values}
        errors={errors}
        onChange={(values) => {
          change({ ...draft, values });
        }}
      />
      {asksComment && (
        <LabelledField id={commentId} label={t.board.comment} required error={errors.comment}>
          <input
            id={commentId}
            className="input"
            placeholder={t.board.comment}
            aria-invalid={errors.comment !== undefined}
            aria-describedby={`${commentId}-error`}
            value={draft.comment}
            onChange={(event) => {
              change({ ...draft, comment: event.target.value });
            }}
          />
        </LabelledField>
      )}
      <span className="row">
        <Button small look="main" type="submit" disabled={busy}>
          {t.common.save}
        </Button>
        <Button small onClick={close}>
          {t.common.cancel}
        </Button>
      </span>
    </form>
  );
}

/** Focuses the input when the form appears. */
function focusField(form: HTMLFormElement | null): void {
  if (form && !form.contains(document.activeElement))
    form.querySelector<HTMLElement>("input, textarea, select")?.focus();
}
