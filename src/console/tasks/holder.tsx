import type { Task } from "../data/client.ts";
import { Person } from "../design/person.tsx";
import { useI18n } from "../texts/i18n.tsx";

/** The member who has a task: its owner, or the holder of its lease. */
export function Holder({ task }: { task: Pick<Task, "assigned_to" | "lease"> }) {
  const { t } = useI18n();
  if (task.assigned_to !== null || task.lease === null) return <Person id={task.assigned_to} />;
  return (
    <span title={t.task.leaseHolder}>
      <Person id={task.lease.holder} />
    </span>
  );
}
