import { isUuid } from "../../std/uuid.ts";
import { useMemberNames } from "../data/members.tsx";
import { MEMBER_FIELDS, TASK_FIELDS } from "../forms/field-kinds.ts";
import { useI18n } from "../texts/i18n.tsx";
import { TaskLink } from "./task-link.tsx";

/** Renders any value as plain text, never as markup. */
export function DataValue({ name, value }: { name: string; value: unknown }) {
  const { t, f, n } = useI18n();
  const nameOf = useMemberNames();
  if (value === null || value === undefined) return <span className="faint">{t.common.none}</span>;
  if (typeof value === "boolean") return value ? t.common.yes : t.common.no;
  if (typeof value === "number")
    return <span className="num">{name.endsWith("_at") ? f.moment(value) : value}</span>;
  const labelOf = (item: string | number) =>
    typeof item === "number"
      ? String(item)
      : MEMBER_FIELDS.test(name) || /(^|_)by$/.test(name)
        ? nameOf(item)
        : item;
  if (typeof value === "string" && TASK_FIELDS.test(name) && isUuid(value)) return <TaskLink id={value} />;
  if (typeof value === "string")
    return <span className="written">{CHOICE_FIELDS.test(name) ? n.choice(value) : labelOf(value)}</span>;
  if (Array.isArray(value) && !TASK_FIELDS.test(name) && value.every(isTextOrNumber))
    return <span className="written">{value.map(labelOf).join(", ")}</span>;
  if (Array.isArray(value))
    return (
      <ul className="stack tight">
        {(value as unknown[]).map((item, index) => (
          <li key={index}>
            <DataValue name={name} value={item} />
          </li>
        ))}
      </ul>
    );
  return (
    <dl className="definition inner">
      {Object.entries(value as Record<string, unknown>).map(([part, inner]) => (
        <div key={part} className="pair">
          <dt title={part}>{n.field(part)}</dt>
          <dd>
            <DataValue name={part} value={inner} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Fields that hold one of a fixed set of values. */
const CHOICE_FIELDS = /^(kind|severity|priority|visibility|result)$/;
