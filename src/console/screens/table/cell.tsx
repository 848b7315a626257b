import { addresses } from "../../addresses.ts";
import type { Task } from "../../data/client.ts";
import { useNow } from "../../design/clock.ts";
import { Icon } from "../../design/icon.tsx";
import { Person } from "../../design/person.tsx";
import { StatusChip } from "../../design/status.tsx";
import { Link } from "../../router.tsx";
import { DataValue } from "../../tasks/data-value.tsx";
import { Deadline } from "../../tasks/deadline.tsx";
import { Holder } from "../../tasks/holder.tsx";
import { Labels } from "../../tasks/labels.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { DATA_PREFIX } from "./columns.ts";

/** The value of a column for one task. */
export function Cell({ column, task }: { column: string; task: Task }) {
  const { t, f } = useI18n();
  const now = useNow(10);
  const moment = (at: string) => (
    <span className="num faint" title={f.moment(at)}>
      {f.ago(at, now)}
    </span>
  );
  switch (column) {
    case "title":
      return <Title task={task} />;
    case "status":
      return <StatusChip lifecycle={task.lifecycle} status={task.status} />;
    case "owner":
      return <Holder task={task} />;
    case "priority":
      return <span className="num">{task.priority}</span>;
    case "entered":
      return <span className="num faint">{f.span((now - Date.parse(task.entered_at)) / 1_000)}</span>;
    case "due":
      return <Deadline short task={task} />;
    case "updated":
      return moment(task.updated_at);
    case "created":
      return moment(task.created_at);
    case "project":
      return <span className="cut">{task.project_id}</span>;
    case "creator":
      return <Person id={task.created_by} absent={t.common.system} />;
    case "labels":
      return (
        <span className="row cut">
          <Labels task={task} />
        </span>
      );
    case "attempt":
      return <span className="num">{task.attempt}</span>;
    case "lifecycle":
      return <Link href={addresses.board(task.lifecycle)}>{task.lifecycle}</Link>;
    case "id":
      return <code className="faint cut">{task.id}</code>;
  }
  const name = column.slice(DATA_PREFIX.length);
  const value = task.data[name];
  if (value === null || value === undefined || value === "") return null;
  return (
    <span className="cut">
      <DataValue name={name} value={value} />
    </span>
  );
}

function Title({ task }: { task: Task }) {
  const { t } = useI18n();
  return (
    <span className="row">
      {task.needs_attention && (
        <span className="attention-mark" title={t.board.attention}>
          <Icon name="alert" />
        </span>
      )}
      <Link href={addresses.task(task.id)} className="cut">
        {task.title}
      </Link>
      {task.open_blockers > 0 && (
        <span className="faint" title={t.board.blockers(task.open_blockers)}>
          <Icon name="link" />
        </span>
      )}
    </span>
  );
}
