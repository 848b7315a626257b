import type { Task } from "../../../console/index.ts";
import { DueMark } from "./due-mark.tsx";

/** The due date on the card of a task. */
export default function CardDue({ task: { status, data } }: { task: Task }) {
  const { due_at, estimate_minutes } = data as { due_at?: number | null; estimate_minutes?: number | null };
  if (due_at == null) return null;
  const timed = {
    status: status as "blocked",
    due_at: new Date(due_at).toISOString(),
    estimate_minutes: estimate_minutes ?? null,
  };
  return (
    <span className="row wrap small">
      <DueMark task={timed} />
    </span>
  );
}
