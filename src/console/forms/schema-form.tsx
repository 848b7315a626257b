import { createContext, useContext, useId } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import type { Texts } from "../texts/en.ts";
import { useI18n } from "../texts/i18n.tsx";
import type { Field, Mistakes, Values } from "./schema.ts";

type Props = {
  fields: readonly Field[];
  values: Values;
  mistakes: Mistakes;
  onChange: (values: Values) => void;
  path?: string;
};

/** What a field may well be, by its name; `only`: nothing else makes sense. */
export type Offers = Readonly<Record<string, { only: boolean; options: readonly Offer[] }>>;
type Offer = { value: string; label: string };

/** What is offered by the place where a form stands. */
export const OfferedHere = createContext<Offers>({});

/** Fields that are about somebody offer those there are. */
const ABOUT_MEMBERS =
  /(^|_)(assignee|executor|member|owner|user|reviewer|worker|agent)(_id)?$|^assign(ed)?_to$/;

/** So many fields are seen at a glance; of a longer form the rest can wait. */
const AT_A_GLANCE = 5;

/** A long form whose last fields are unfolded by whoever needs them. */
export function FoldedForm(props: Props) {
  const { t } = useI18n();
  const { fields, mistakes } = props;
  if (fields.length <= AT_A_GLANCE + 1) return <SchemaForm {...props} />;
  const first = fields.filter(({ required }, index) => required || index < AT_A_GLANCE);
  const rest = fields.filter((field) => !first.includes(field));
  const isWrong = Object.keys(mistakes).some((path) => rest.some(({ name }) => path.split(".")[0] === name));
  return (
    <>
      <SchemaForm {...props} fields={first} />
      <details className="more-fields" {...(isWrong ? { open: true } : {})}>
        <summary>{t.form.more}</summary>
        <div className="stack">
          <SchemaForm {...props} fields={rest} />
        </div>
      </details>
    </>
  );
}

/** A form made of a schema: every field that it names, and nothing else. */
export function SchemaForm({ fields, values, mistakes, onChange, path = "" }: Props) {
  const { n } = useI18n();
  return fields.map((field) => {
    const place = path === "" ? field.name : `${path}.${field.name}`;
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
            mistakes={mistakes}
            path={place}
            onChange={change}
          />
        </fieldset>
      );
    return (
      <SchemaField
        key={field.name}
        field={field}
        value={values[field.name]}
        mistake={mistakes[place]}
        onChange={change}
      />
    );
  });
}

type FieldProps = {
  field: Field;
  value: unknown;
  mistake: string | undefined;
  onChange: (value: unknown) => void;
};

function SchemaField({ field, value, mistake, onChange }: FieldProps) {
  const { t, n } = useI18n();
  const id = useId();
  if (field.kind === "switch")
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={Boolean(value ?? field.byDefault)}
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
    field.kind === "choice" ? null : byDefault(field, t),
  ].filter((part) => part !== null);
  return (
    <LabelledField
      id={id}
      label={n.field(field.name)}
      // Where more is to be said of it than that it may be left out, it is said below.
      required={field.required || field.description !== null}
      mistake={mistake}
      hint={hint.length > 0 ? hint.join(" · ") : undefined}
    >
      <Control id={id} field={field} value={value} mistake={mistake} onChange={onChange} />
    </LabelledField>
  );
}

/** A label, its field, what helps and what is wrong. */
export function LabelledField({
  id,
  label,
  required = false,
  hint,
  mistake,
  children,
}: {
  id: string;
  label: string;
  required?: boolean;
  hint?: string | undefined;
  mistake?: string | undefined;
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
      {mistake && (
        <span className="mistake" id={`${id}-mistake`}>
          {mistake}
        </span>
      )}
    </div>
  );
}

function Control({ id, field, value, mistake, onChange }: FieldProps & { id: string }) {
  const { t, n } = useI18n();
  const { data: members = [] } = useQuery(queries.members());
  const offered = useContext(OfferedHere)[field.name];
  const text = typeof value === "string" ? value : "";
  const common = {
    id,
    className: "input",
    required: field.required,
    "aria-invalid": mistake !== undefined,
    "aria-describedby": mistake === undefined ? `${id}-hint` : `${id}-mistake`,
    value: text,
    onChange: (event: { target: { value: string } }) => {
      onChange(event.target.value);
    },
  };
  if (field.kind === "choice")
    return (
      <select {...common}>
        <option value="">{byDefault(field, t, n.choice) ?? t.form.choose}</option>
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {n.choice(choice)}
          </option>
        ))}
      </select>
    );
  if (field.kind === "long" || field.kind === "json")
    return <textarea {...common} className={`input${field.kind === "json" ? " mono" : ""}`} rows={3} />;
  if (offered?.only)
    return (
      <select {...common}>
        <option value="">{t.form.choose}</option>
        {offered.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  const isAboutMember = field.kind === "text" && ABOUT_MEMBERS.test(field.name);
  const options =
    offered?.options ??
    (isAboutMember ? members.map(({ id: value, name: label }) => ({ value, label })) : []);
  return (
    <>
      <input
        {...common}
        type={field.kind === "date" ? "date" : "text"}
        inputMode={field.kind === "number" ? "decimal" : undefined}
        list={options.length > 0 ? `${id}-offers` : undefined}
      />
      {options.length > 0 && (
        <datalist id={`${id}-offers`}>
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

/** What it is if nothing is given; null where that is not known, or nothing. */
function byDefault(
  { byDefault: value, kind }: Field,
  t: Texts,
  say: (value: string) => string = (said) => said,
): string | null {
  if (value === undefined || value === null || kind === "list") return null;
  return t.settings.byDefault(typeof value === "string" ? say(value) : JSON.stringify(value));
}
