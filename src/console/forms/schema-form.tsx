import { createContext, useContext, useId } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import type { Texts } from "../texts/en.ts";
import { useI18n } from "../texts/i18n.tsx";
import type { Field, FieldErrors, Values } from "./schema.ts";

type Props = {
  fields: readonly Field[];
  values: Values;
  errors: FieldErrors;
  onChange: (values: Values) => void;
  path?: string;
};

/** Suggested values by field name; with `only`, no other value is accepted. */
export type Suggestions = Readonly<Record<string, { only: boolean; options: readonly Suggestion[] }>>;
type Suggestion = { value: string; label: string };

/** Suggestions from the surroundings of a form. */
export const SuggestionsContext = createContext<Suggestions>({});

/** Fields that hold a member suggest the existing members. */
const MEMBER_FIELDS =
  /(^|_)(assignee|executor|member|owner|user|reviewer|worker|agent)(_id)?$|^assign(ed)?_to$/;

/** Fields shown at first; the rest of a longer form is folded. */
const FIRST_FIELDS = 5;

/** A form whose later fields are folded if there are many. */
export function FoldedForm(props: Props) {
  const { t } = useI18n();
  const { fields, errors } = props;
  if (fields.length <= FIRST_FIELDS + 1) return <SchemaForm {...props} />;
  const first = fields.filter(({ required }, index) => required || index < FIRST_FIELDS);
  const rest = fields.filter((field) => !first.includes(field));
  const hasErrors = Object.keys(errors).some((path) => rest.some(({ name }) => path.split(".")[0] === name));
  return (
    <>
      <SchemaForm {...props} fields={first} />
      <details className="more-fields" {...(hasErrors ? { open: true } : {})}>
        <summary>{t.form.more}</summary>
        <div className="stack">
          <SchemaForm {...props} fields={rest} />
        </div>
      </details>
    </>
  );
}

/** A form with one input per field of a schema. */
export function SchemaForm({ fields, values, errors, onChange, path = "" }: Props) {
  const { n } = useI18n();
  return fields.map((field) => {
    const fieldPath = path === "" ? field.name : `${path}.${field.name}`;
    const change = (value: unknown) => {
      onChange({ ...values, [field.name]: value });
    };
    if (field.kind === "group")
      return (
        <fieldset key={field.name} className="group">
          <legend>{n.field(field.name)}</legend>
          <SchemaForm
            fields={field.fields}
            values={(values[field.name] ?? {}) as Values}
            errors={errors}
            path={fieldPath}
            onChange={change}
          />
        </fieldset>
      );
    return (
      <SchemaField
        key={field.name}
        field={field}
        value={values[field.name]}
        error={errors[fieldPath]}
        onChange={change}
      />
    );
  });
}

type FieldProps = {
  field: Field;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
};

function SchemaField({ field, value, error, onChange }: FieldProps) {
  const { t, n } = useI18n();
  const id = useId();
  if (field.kind === "switch")
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={Boolean(value ?? field.defaultValue)}
          onChange={(event) => {
            onChange(event.target.checked);
          }}
        />
        {n.field(field.name)}
      </label>
    );
  const hint = [
    field.description === null ? null : n.hint(field.description),
    field.kind === "list" ? t.form.list : null,
    field.kind === "json" ? t.form.json_hint : null,
    field.kind === "choice" ? null : defaultText(field, t),
  ].filter((part) => part !== null);
  return (
    <LabelledField
      id={id}
      label={n.field(field.name)}
      // The description states already that the field is optional.
      required={field.required || field.description !== null}
      error={error}
      hint={hint.length > 0 ? hint.join(" · ") : undefined}
    >
      <Control id={id} field={field} value={value} error={error} onChange={onChange} />
    </LabelledField>
  );
}

/** A label with its input, a hint and an error. */
export function LabelledField({
  id,
  label,
  required = false,
  hint,
  error,
  children,
}: {
  id: string;
  label: string;
  required?: boolean;
  hint?: string | undefined;
  error?: string | undefined;
  children: ReactNode;
}) {
  const { t } = useI18n();
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label} {!required && <span className="faint small">{t.common.optional}</span>}
      </label>
      {children}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

function Control({ id, field, value, error, onChange }: FieldProps & { id: string }) {
  const { t, n } = useI18n();
  const { data: members = [] } = useQuery(queries.members());
  const suggested = useContext(SuggestionsContext)[field.name];
  const text = typeof value === "string" ? value : "";
  const common = {
    id,
    className: "input",
    required: field.required,
    "aria-invalid": error !== undefined,
    "aria-describedby": error === undefined ? `${id}-hint` : `${id}-error`,
    value: text,
    onChange: (event: { target: { value: string } }) => {
      onChange(event.target.value);
    },
  };
  if (field.kind === "choice")
    return (
      <select {...common}>
        <option value="">{defaultText(field, t, n.choice) ?? t.form.choose}</option>
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {n.choice(choice)}
          </option>
        ))}
      </select>
    );
  if (field.kind === "long" || field.kind === "json")
    return <textarea {...common} className={`input${field.kind === "json" ? " mono" : ""}`} rows={3} />;
  if (suggested?.only)
    return (
      <select {...common}>
        <option value="">{t.form.choose}</option>
        {suggested.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  const isMemberField = field.kind === "text" && MEMBER_FIELDS.test(field.name);
  const options =
    suggested?.options ??
    (isMemberField ? members.map(({ id: value, name: label }) => ({ value, label })) : []);
  return (
    <>
      <input
        {...common}
        type={INPUT_TYPES[field.kind] ?? "text"}
        inputMode={field.kind === "number" ? "decimal" : undefined}
        list={options.length > 0 ? `${id}-options` : undefined}
      />
      {options.length > 0 && (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

/** The default value in words; null if there is none. */
function defaultText(
  { defaultValue: value, kind }: Field,
  t: Texts,
  labelOf: (value: string) => string = (text) => text,
): string | null {
  if (value === undefined || value === null || kind === "list") return null;
  return t.settings.defaultValue(typeof value === "string" ? labelOf(value) : JSON.stringify(value));
}

/** The types of inputs other than text. */
const INPUT_TYPES: Partial<Record<Field["kind"], string>> = { date: "date", moment: "datetime-local" };
