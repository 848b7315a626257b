import { useId, useMemo, useState } from "react";
import type { Lifecycle, Task } from "../data/client.ts";
import { Button, Segments } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { PageDialog } from "../design/page-dialogs.tsx";
import { ProblemNote } from "../design/states.tsx";
import { LabelledField, SuggestionsContext, SchemaForm } from "../forms/schema-form.tsx";
import { FormPlaceContext } from "../forms/pick-choices.ts";
import { fieldsOf, readValues, valuesFrom, withFieldUi } from "../forms/schema.ts";
import type { Field, FieldErrors, Values } from "../forms/schema.ts";
import { useDraft } from "../forms/use-draft.tsx";
import { useSubmit } from "../forms/use-submit.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { NamesOf, useI18n } from "../texts/i18n.tsx";
import type { MoveRequest } from "./use-move.ts";
import { leaseTokenOf } from "./lease-tokens.ts";
import { useFieldSuggestions } from "./use-field-suggestions.ts";
import { ChangesMeanwhile, useNewestVersion } from "./changes-meanwhile.tsx";
import { BlockedDependents } from "./blocked-dependents.tsx";
import { actionOf, buildMove, endsWithoutSuccess, removesTask } from "./build-move.ts";

type Draft = { values: Values; comment: string };
/** The lease token is not part of the draft because it is a secret. */
type ActionInputs = Draft & { leaseToken: string };

const NOTHING: Draft = { values: {}, comment: "" };

/** Asks for the input of an action and runs it; on a refusal it stays open and shows the reason. */
export function ActionDialog(props: ActionProps) {
  return (
    <PageDialog onClose={props.onClose}>
      {(close) => (
        <NamesOf lifecycle={props.lifecycle.name}>
          <ActionForm {...props} onClose={close} />
        </NamesOf>
      )}
    </PageDialog>
  );
}

type ActionProps = {
  lifecycle: Lifecycle;
  /** One action, or several to choose from. */
  actions: readonly string[];
  title?: string;
  lead?: string;
  task?: Pick<Task, "id" | "row_version">;
  /** Values that the form starts with. */
  initial?: Values | undefined;
  perform: (move: MoveRequest) => Promise<unknown>;
  onClose: () => void;
};

function ActionForm({ lifecycle, actions, title, lead, task, initial, perform, onClose }: ActionProps) {
  const { t, n } = useI18n();
  const [action, setAction] = useState(actions[0] ?? "");
  const form = `action/${task?.id ?? lifecycle.name}/${actions.join("/")}`;
  const spec = actionOf(lifecycle, action);
  const ui = useUi()(lifecycle.name);
  const fields = useMemo(() => withFieldUi(fieldsOf(spec?.input), ui.fields, { creates: false }), [spec, ui]);
  const begin = () => (initial ? { ...NOTHING, values: valuesFrom(fields, initial) } : NOTHING);
  const { values: draft, change, close, dismiss, note } = useDraft(form, begin, onClose);
  const { opened, newest, hasChanged } = useNewestVersion(task);
  const [leaseToken, setLeaseToken] = useState("");
  const { busy, problem, errors, send } = useSubmit();
  const suggestions = useFieldSuggestions(
    task,
    fields.map(({ name }) => name),
  );
  const place = usePlace(lifecycle.name, task?.id);
  const isDestructive = endsWithoutSuccess(lifecycle, action) || removesTask(lifecycle, action);
  const confirmation = n.confirmation(action);
  const asksToken = spec?.lease_token === "required" && task !== undefined && leaseTokenOf(task.id) === null;
  const submit = async () => {
    if (!spec) return;
    const { values, comment } = draft;
    const { payload, errors: found } = readValues(fields, values, t.form);
    clearDeleted(fields, initial, payload);
    if (spec.comment === "required" && comment.trim() === "") found.comment = t.form.required;
    if (asksToken && leaseToken.trim() === "") found.lease_token = t.form.required;
    await send(async () => {
      // The form shows what changed, so the action is for that version; an edit began with the values of an older one.
      const shown = task && { ...task, row_version: action === "edit" ? opened : newest };
      await perform(buildMove(spec, shown, { payload, comment, leaseToken }));
      close();
    }, found);
  };
  return (
    <Dialog
      title={title ?? n.action(action)}
      lead={lead ?? spec?.summary ?? undefined}
      onClose={dismiss}
      onSubmit={() => void submit()}
      foot={<Foot label={n.action(action)} isDestructive={isDestructive} busy={busy} onClose={close} />}
    >
      {note}
      {task && hasChanged && (
        <ChangesMeanwhile
          lifecycle={lifecycle.name}
          taskId={task.id}
          opened={opened}
          action={action}
          isRefused={problem !== null}
        />
      )}
      {problem !== null && <ProblemNote problem={problem} />}
      {actions.length > 1 && (
        <Segments
          label={t.board.chooseAction}
          value={action}
          onChange={setAction}
          options={actions.map((value) => ({ value, label: n.action(value) }))}
        />
      )}
      {confirmation !== null && <p className="soft">{confirmation}</p>}
      {task && isDestructive && <BlockedDependents taskId={task.id} />}
      <FormPlaceContext value={place}>
        <SuggestionsContext value={suggestions}>
          <Inputs
            spec={spec}
            fields={fields}
            inputs={{ ...draft, leaseToken }}
            errors={errors}
            asksToken={asksToken}
            onChange={({ leaseToken: token, ...rest }) => {
              setLeaseToken(token);
              change(rest);
            }}
          />
        </SuggestionsContext>
      </FormPlaceContext>
    </Dialog>
  );
}

/** A value that was deleted in the form is cleared. */
function clearDeleted(
  fields: readonly Field[],
  initial: Values | undefined,
  payload: Record<string, unknown>,
) {
  for (const { name, nullable } of fields)
    if (nullable && initial?.[name] != null && payload[name] === undefined) payload[name] = null;
}

function usePlace(lifecycle: string, task: string | undefined) {
  return useMemo(() => ({ lifecycle, ...(task === undefined ? {} : { task }) }), [lifecycle, task]);
}

function Foot({
  label,
  isDestructive,
  busy,
  onClose,
}: {
  label: string;
  isDestructive: boolean;
  busy: boolean;
  onClose: () => void;
}) {
  const { t } = useI18n();
  return (
    <>
      {/* Beside a button such as "Cancel task", a second one named "Cancel" would be ambiguous. */}
      <Button onClick={onClose}>{isDestructive ? t.common.keep : t.common.cancel}</Button>
      <Button look={isDestructive ? "danger" : "main"} type="submit" disabled={busy}>
        {label}
      </Button>
    </>
  );
}

function Inputs({
  spec,
  fields,
  inputs,
  errors,
  asksToken,
  onChange,
}: {
  spec: Lifecycle["actions"][number] | undefined;
  fields: readonly Field[];
  inputs: ActionInputs;
  errors: FieldErrors;
  asksToken: boolean;
  onChange: (inputs: ActionInputs) => void;
}) {
  const { t } = useI18n();
  const id = useId();
  return (
    <>
      <SchemaForm
        fields={fields}
        values={inputs.values}
        errors={errors}
        onChange={(values) => {
          onChange({ ...inputs, values });
        }}
      />
      {asksToken && (
        <LabelledField
          id={`${id}-lease`}
          label={t.board.leaseToken}
          required
          hint={t.board.leaseTokenHint}
          error={errors.lease_token}
        >
          <input
            id={`${id}-lease`}
            className="input mono"
            value={inputs.leaseToken}
            onChange={(event) => {
              onChange({ ...inputs, leaseToken: event.target.value });
            }}
          />
        </LabelledField>
      )}
      <LabelledField
        id={`${id}-comment`}
        label={t.board.comment}
        required={spec?.comment === "required"}
        hint={t.board.commentHint}
        error={errors.comment}
      >
        <textarea
          id={`${id}-comment`}
          className="input"
          rows={2}
          aria-invalid={errors.comment !== undefined}
          aria-describedby={errors.comment === undefined ? `${id}-comment-hint` : `${id}-comment-error`}
          value={inputs.comment}
          onChange={(event) => {
            onChange({ ...inputs, comment: event.target.value });
          }}
        />
      </LabelledField>
    </>
  );
}
