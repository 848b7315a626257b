import { useId, useState } from "react";
import { PawlProblem } from "../data/client.ts";
import type { Lifecycle, Task } from "../data/client.ts";
import { Button, Segments } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ProblemNote } from "../design/states.tsx";
import { labelOf } from "../design/status.tsx";
import { LabelledField, SchemaForm } from "../forms/schema-form.tsx";
import { fieldsOf, mistakesIn, readValues } from "../forms/schema.ts";
import type { Mistakes, Values } from "../forms/schema.ts";
import { useWords } from "../texts/words.tsx";
import { leaseTokenOf } from "./lease-tokens.ts";
import type { Move } from "./act.ts";

type ActionInputs = { values: Values; comment: string; leaseToken: string };

const NOTHING: ActionInputs = { values: {}, comment: "", leaseToken: "" };

/** Whether an action can be done without asking anything. */
export function needsNothing(lifecycle: Lifecycle, action: string): boolean {
  const spec = lifecycle.actions.find(({ name }) => name === action);
  return spec !== undefined && spec.comment !== "required" && fieldsOf(spec.input).length === 0;
}

/** Asks for exactly what an action needs, and does it; stays open with the reason where it is refused. */
export function ActionDialog({
  lifecycle,
  actions,
  title,
  lead,
  task,
  perform,
  onClose,
}: {
  lifecycle: Lifecycle;
  /** One, or several of which one is to be chosen. */
  actions: readonly string[];
  title?: string;
  lead?: string;
  task?: Pick<Task, "id" | "row_version">;
  perform: (move: Move) => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [action, setAction] = useState(actions[0] ?? "");
  const [inputs, setInputs] = useState(NOTHING);
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const spec = lifecycle.actions.find(({ name }) => name === action);
  const ownToken = task ? leaseTokenOf(task.id) : null;
  const asksToken = spec?.lease_token === "required" && ownToken === null && task !== undefined;
  const submit = async () => {
    const read = readValues(fieldsOf(spec?.input), inputs.values, t.form);
    const found = { ...read.mistakes };
    if (spec?.comment === "required" && inputs.comment.trim() === "") found.comment = t.form.required;
    if (asksToken && inputs.leaseToken.trim() === "") found.lease_token = t.form.required;
    setMistakes(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      const version = spec?.expected_row_version === "required" ? task?.row_version : undefined;
      const token = ownToken ?? inputs.leaseToken.trim();
      await perform(moveOf(action, { payload: read.payload, comment: inputs.comment, token, version }));
      onClose();
    } catch (error) {
      setProblem(error);
      if (error instanceof PawlProblem) setMistakes(mistakesIn(error.params));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title ?? labelOf(action)}
      lead={lead ?? spec?.summary ?? undefined}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy}>
            {labelOf(action)}
          </Button>
        </>
      }
    >
      {problem !== null && <ProblemNote problem={problem} />}
      {actions.length > 1 && (
        <Segments
          label={t.board.chooseAction}
          value={action}
          onChange={setAction}
          options={actions.map((value) => ({ value, label: labelOf(value) }))}
        />
      )}
      <Inputs spec={spec} inputs={inputs} mistakes={mistakes} asksToken={asksToken} onChange={setInputs} />
    </Dialog>
  );
}

type Given = { payload: Values; comment: string; token: string; version: number | undefined };

/** What goes with an action, without what was left empty. */
function moveOf(action: string, { payload, comment, token, version }: Given): Move {
  return {
    action,
    ...(comment.trim() === "" ? {} : { comment }),
    ...(Object.keys(payload).length === 0 ? {} : { payload }),
    ...(token === "" ? {} : { lease_token: token }),
    ...(version === undefined ? {} : { expected_row_version: version }),
  };
}

function Inputs({
  spec,
  inputs,
  mistakes,
  asksToken,
  onChange,
}: {
  spec: Lifecycle["actions"][number] | undefined;
  inputs: ActionInputs;
  mistakes: Mistakes;
  asksToken: boolean;
  onChange: (inputs: ActionInputs) => void;
}) {
  const { t } = useWords();
  const id = useId();
  return (
    <>
      <SchemaForm
        fields={fieldsOf(spec?.input)}
        values={inputs.values}
        mistakes={mistakes}
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
          mistake={mistakes.lease_token}
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
        mistake={mistakes.comment}
      >
        <textarea
          id={`${id}-comment`}
          className="input"
          rows={2}
          aria-invalid={mistakes.comment !== undefined}
          aria-describedby={mistakes.comment === undefined ? `${id}-comment-hint` : `${id}-comment-mistake`}
          value={inputs.comment}
          onChange={(event) => {
            onChange({ ...inputs, comment: event.target.value });
          }}
        />
      </LabelledField>
    </>
  );
}
