import { useId } from "react";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { PageDialog } from "../design/page-dialogs.tsx";
import { ProblemNote } from "../design/states.tsx";
import { LabelledField } from "../forms/schema-form.tsx";
import type { FieldErrors } from "../forms/schema.ts";
import { useDraft } from "../forms/use-draft.tsx";
import { useSubmit } from "../forms/use-submit.ts";
import { useI18n } from "../texts/i18n.tsx";

type Question<Name extends string> = {
  name: Name;
  label: string;
  hint?: string;
  required?: boolean;
  /** Default "line". */
  kind?: "line" | "text" | "moment" | "number" | "choice" | "multiple";
  options?: readonly { value: string; label: string }[];
  initial?: string;
};

type AskProps<Name extends string> = {
  /** Identifies the dialog, to keep a draft of the answers. */
  form: string;
  title: string;
  lead?: string;
  questions: readonly Question<Name>[];
  /** Label of the submit button. */
  submit: string;
  danger?: boolean;
  /** Runs on submit; the values of a "multiple" question are separated by line breaks. */
  perform: (answers: Record<Name, string>) => Promise<unknown>;
  onClose: () => void;
};

/** Asks a few questions and submits the answers; on a refusal it stays open. */
export function AskDialog<Name extends string>(props: AskProps<Name>) {
  return <PageDialog onClose={props.onClose}>{(close) => <AskForm {...props} onClose={close} />}</PageDialog>;
}

function AskForm<Name extends string>({
  form,
  title,
  lead,
  questions,
  submit,
  danger = false,
  perform,
  onClose,
}: AskProps<Name>) {
  const { t } = useI18n();
  const initial = () =>
    Object.fromEntries(questions.map(({ name, initial: text = "" }) => [name, text])) as Record<Name, string>;
  const { values: answers, change: setAnswers, close, dismiss, note } = useDraft(form, initial, onClose);
  const { busy, problem, errors, send } = useSubmit();
  const errorOf = ({ name, required, kind }: Question<Name>) => {
    const answer = answers[name].trim();
    if (required && answer === "") return t.form.required;
    return kind === "number" && answer !== "" && !(Number(answer.replace(",", ".")) > 0)
      ? t.form.number
      : undefined;
  };
  const submitted = async () => {
    const found = questions.flatMap((question): [string, string][] => {
      const error = errorOf(question);
      return error === undefined ? [] : [[question.name, error]];
    });
    await send(async () => {
      await perform(answers);
      close();
    }, Object.fromEntries(found));
  };
  return (
    <Dialog
      title={title}
      {...(lead === undefined ? {} : { lead })}
      onClose={dismiss}
      onSubmit={() => void submitted()}
      foot={
        <>
          <Button onClick={close}>{danger ? t.common.keep : t.common.cancel}</Button>
          <Button look={danger ? "danger" : "main"} type="submit" disabled={busy}>
            {submit}
          </Button>
        </>
      }
    >
      {note}
      {problem !== null && <ProblemNote problem={problem} />}
      <Questions questions={questions} answers={answers} errors={errors} onChange={setAnswers} />
    </Dialog>
  );
}

function Questions<Name extends string>({
  questions,
  answers,
  errors,
  onChange,
}: {
  questions: readonly Question<Name>[];
  answers: Record<Name, string>;
  errors: FieldErrors;
  onChange: (answers: Record<Name, string>) => void;
}) {
  const id = useId();
  return questions.map((question) => {
    const fieldId = `${id}-${question.name}`;
    return (
      <LabelledField
        key={question.name}
        id={fieldId}
        label={question.label}
        required={question.required ?? false}
        hint={question.hint}
        error={errors[question.name]}
      >
        <QuestionInput
          id={fieldId}
          question={question}
          value={answers[question.name]}
          onChange={(value) => {
            onChange({ ...answers, [question.name]: value });
          }}
        />
      </LabelledField>
    );
  });
}

function QuestionInput({
  id,
  question: { kind = "line", options = [] },
  value,
  onChange,
}: {
  id: string;
  question: Question<string>;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useI18n();
  const common = {
    id,
    className: "input",
    value,
    onChange: (event: { target: { value: string } }) => {
      onChange(event.target.value);
    },
  };
  if (kind === "text") return <textarea rows={3} {...common} />;
  if (kind === "choice")
    return (
      <select {...common}>
        {value === "" && <option value="">{t.form.choose}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  if (kind === "multiple")
    return <CheckboxGroup id={id} options={options} value={value} onChange={onChange} />;
  return (
    <input
      type={kind === "moment" ? "datetime-local" : "text"}
      {...(kind === "number" ? { inputMode: "decimal" } : {})}
      {...common}
    />
  );
}

function CheckboxGroup({
  id,
  options,
  value,
  onChange,
}: {
  id: string;
  options: NonNullable<Question<string>["options"]>;
  value: string;
  onChange: (value: string) => void;
}) {
  const chosen = value === "" ? [] : value.split("\n");
  return (
    <div id={id} role="group" className="checkbox-group">
      {options.map((option) => (
        <label key={option.value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={(event) => {
              onChange(
                (event.target.checked
                  ? [...chosen, option.value]
                  : chosen.filter((one) => one !== option.value)
                ).join("\n"),
              );
            }}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
