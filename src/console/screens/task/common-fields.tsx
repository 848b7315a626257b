import type { ReactNode } from "react";
import type { Task } from "../../data/client.ts";
import { useNow } from "../../design/clock.ts";
import { Person } from "../../design/person.tsx";
import { Deadline } from "../../tasks/deadline.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { CopyText } from "../../design/copy-text.tsx";

/** Fields that every task has. */
export function CommonFields({ task }: { task: Task }) {
  const { t, f, n } = useI18n();
  const now = useNow(5);
  const moment = (at: string) => (
    <time dateTime={at} title={f.moment(at)}>
      {f.ago(at, now)}
    </time>
  );
  const rows: [string, ReactNode][] = [
    [t.task.owner, <Person key="owner" id={task.assigned_to} />],
    [t.task.creator, <Person key="creator" id={task.created_by} absent={t.common.system} />],
    [t.task.entered, moment(task.entered_at)],
  ];
  if (task.due_at !== null)
    rows.push([
      t.task.due,
      <span key="due" className="stack tight">
        <Deadline task={task} />
        {task.due_action !== null && (
          <span className="faint small">{t.task.thenDo(n.action(task.due_action))}</span>
        )}
      </span>,
    ]);
  if (task.available_at !== null && Date.parse(task.available_at) > now)
    rows.push([t.task.availableAt, f.moment(task.available_at)]);
  if (task.lease)
    rows.push(
      [t.task.leaseHolder, <Person key="holder" id={task.lease.holder} />],
      [t.task.leaseUntil, moment(task.lease.until)],
      [t.task.heartbeat, moment(task.lease.heartbeat_at)],
    );
  rows.push(
    [
      t.task.priority,
      <span key="priority" className="num">
        {task.priority}
      </span>,
    ],
    [t.task.updated, moment(task.updated_at)],
    [t.task.created, moment(task.created_at)],
    [
      t.task.version,
      <span key="version" className="num">
        {task.row_version}
      </span>,
    ],
    [t.task.id, <CopyText key="id" text={task.id} />],
  );
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.fields}</h2>
      </header>
      <dl className="body definition">
        {rows.map(([name, value]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
