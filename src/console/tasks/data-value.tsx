import { isUuid } from "../../std/uuid.ts";
import { useMemberNames } from "../data/members.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { TaskLink } from "./task-link.tsx";

/** Fields that name a task, and those that name a member. */
const TASK = /^(depends_on|blocked_by|blocker_id|replacement_id|retry_of|clears)$|task_id$/;
const WHO = /(^|_)by$|^(assign_to|assigned_to|assignee_id|member_id|worker|executor|contributors)$/;

/** Whatever a lifecycle keeps or was given, as plain text: a value is never taken for markup. */
export function DataValue({ name, value }: { name: string; value: unknown }) {
  const { t, f, n } = useI18n();
  const nameOf = useMemberNames();
  if (value === null || value === undefined) return <span className="faint">{t.common.none}</span>;
  if (typeof value === "boolean") return value ? t.common.yes : t.common.no;
  if (typeof value === "number")
    return <span className="num">{name.endsWith("_at") ? f.moment(value) : value}</span>;
  const say = (item: string | number) =>
    typeof item === "number" ? String(item) : WHO.test(name) ? nameOf(item) : item;
  if (typeof value === "string" && TASK.test(name) && isUuid(value)) return <TaskLink id={value} />;
  if (typeof value === "string")
    return <span className="written">{CHOSEN.test(name) ? n.choice(value) : say(value)}</span>;
  if (Array.isArray(value) && !TASK.test(name) && value.every(isWord))
    return <span className="written">{value.map(say).join(", ")}</span>;
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
      {Object.entries(value as Record<string, unknown>).map(([part, held]) => (
        <div key={part} className="pair">
          <dt title={part}>{n.field(part)}</dt>
          <dd>
            <DataValue name={part} value={held} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isWord(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Fields that hold one of a few words. */
const CHOSEN = /^(kind|severity|priority|visibility|result)$/;
