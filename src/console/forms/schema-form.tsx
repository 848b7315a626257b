import { createContext, useContext, useId } from "react";
import type { ReactNode } from "react";
import type { Texts } from "../texts/en.ts";
import { useI18n } from "../texts/i18n.tsx";
import { MultiPicker, Picker } from "./picker.tsx";
import { isRequired } from "./schema.ts";
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

/** Fields shown at first; the rest of a longer form is folded. */
const FIRST_FIELDS = 5;

/** A form whose later fields are folded if there are many. */
export function FoldedForm(props: Props) {
  const { t } = useI18n();
  const { fields, errors } = props;
  const visible = fields.filter((field) => isShown(field, errors));
  if (visible.length <= FIRST_FIELDS + 1) return <SchemaForm {...props} />;
  const first = visible.filter((field, index) => isRequired(field, props.values) || index < FIRST_FIELDS);
  const rest = visible.filter((field) => !first.includes(field));
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

/** A field that fills itself in is shown only if its value was refused. */
function isShown({ name, ui }: Field, errors: FieldErrors): boolean {
  return !(ui.hidden ?? ui.generate !== undefined) || errors[name] !== undefined;
}

/** A form with one input per field of a schema. */
export function SchemaForm({ fields, values, errors, onChange, path = "" }: Props) {
  const { n } = useI18n();
  return fields.map((field) => {
    const fieldPath = path === "" ? field.name : `${path}.${field.name}`;
    if (!isShown(field, path === "" ? errors : {})) return null;
    const change = (value: unknown, fills: Values = {}) => {
      onChange({ ...values, ...fills, [field.name]: value });
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
        field={{ ...field, required: isRequired(field, values) }}
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
  onChange: (value: unknown, fills?: Values) => void;
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
    field.kind === "list" && field.ui.pick === undefined ? t.form.list : null,
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
  const suggested = useContext(SuggestionsContext)[field.name];
  const text = typeof value === "string" ? value : "";
  const describedBy = error === undefined ? `${id}-hint` : `${id}-error`;
  const pick = suggested ? { choices: suggested.options, open: !suggested.only } : field.ui.pick;
  if (pick !== undefined && (field.kind === "text" || field.kind === "list")) {
    const shared = { id, pick, value: text, onChange, isInvalid: error !== undefined, describedBy };
    return field.kind === "list" ? (
      <MultiPicker {...shared} />
    ) : (
      <Picker {...shared} required={field.required} />
    );
  }
  const common = {
    id,
    className: "input",
    required: field.required,
    "aria-invalid": error !== undefined,
    "aria-describedby": describedBy,
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
    return (
      <textarea {...common} dir="auto" className={`input${field.kind === "json" ? " mono" : ""}`} rows={3} />
    );
  return (
    <input
      {...common}
      dir="auto"
      type={INPUT_TYPES[field.kind] ?? "text"}
      inputMode={field.kind === "number" ? "decimal" : undefined}
    />
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
