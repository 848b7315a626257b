import { useId } from "react";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ProblemNote } from "../design/states.tsx";
import { LabelledField } from "../forms/schema-form.tsx";
import type { Mistakes } from "../forms/schema.ts";
import { useDraft } from "../forms/use-draft.tsx";
import { useSending } from "../forms/use-sending.ts";
import { useI18n } from "../texts/i18n.tsx";

export type Question<Name extends string> = {
  name: Name;
  label: string;
  hint?: string;
  required?: boolean;
  /** A line of text unless told otherwise. */
  kind?: "line" | "text" | "moment" | "number" | "choice" | "several";
  options?: readonly { value: string; label: string }[];
  initial?: string;
};

/** Asks a few questions in the reader's language, and does what they are for; stays open where that is refused. */
export function AskDialog<Name extends string>({
  form,
  title,
  lead,
  questions,
  submit,
  danger = false,
  perform,
  onClose,
}: {
  /** Key of the draft. */
  form: string;
  title: string;
  lead?: string;
  questions: readonly Question<Name>[];
  /** What the button says. */
  submit: string;
  danger?: boolean;
  /** Given what was answered; of several, separated by line breaks. */
  perform: (answers: Record<Name, string>) => Promise<unknown>;
  onClose: () => void;
}) {
  const { t } = useI18n();
  const initial = () =>
    Object.fromEntries(questions.map(({ name, initial: given = "" }) => [name, given])) as Record<
      Name,
      string
    >;
  const { values: answers, change: setAnswers, close, note } = useDraft(form, initial, onClose);
  const { busy, problem, mistakes, send } = useSending();
  const mistakeOf = ({ name, required, kind }: Question<Name>) => {
    const given = answers[name].trim();
    if (required && given === "") return t.form.required;
    return kind === "number" && given !== "" && !(Number(given.replace(",", ".")) > 0)
      ? t.form.number
      : undefined;
  };
  const submitted = async () => {
    const found = questions.flatMap((question): [string, string][] => {
      const mistake = mistakeOf(question);
      return mistake === undefined ? [] : [[question.name, mistake]];
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
      onClose={close}
      onSubmit={() => void submitted()}
      foot={
        <>
          <Button onClick={close}>{t.common.cancel}</Button>
          <Button look={danger ? "danger" : "main"} type="submit" disabled={busy}>
            {submit}
          </Button>
        </>
      }
    >
      {note}
      {problem !== null && <ProblemNote problem={problem} />}
      <Questions questions={questions} answers={answers} mistakes={mistakes} onChange={setAnswers} />
    </Dialog>
  );
}

function Questions<Name extends string>({
  questions,
  answers,
  mistakes,
  onChange,
}: {
  questions: readonly Question<Name>[];
  answers: Record<Name, string>;
  mistakes: Mistakes;
  onChange: (answers: Record<Name, string>) => void;
}) {
  const id = useId();
  return questions.map((question) => {
    const place = `${id}-${question.name}`;
    return (
      <LabelledField
        key={question.name}
        id={place}
        label={question.label}
        required={question.required ?? false}
        hint={question.hint}
        mistake={mistakes[question.name]}
      >
        <Answer
          id={place}
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

function Answer({
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
  if (kind === "several") return <Several id={id} options={options} value={value} onChange={onChange} />;
  return (
    <input
      type={kind === "moment" ? "datetime-local" : "text"}
      {...(kind === "number" ? { inputMode: "decimal" } : {})}
      {...common}
    />
  );
}

function Several({
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
    <div id={id} role="group" className="several">
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
