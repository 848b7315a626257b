import { useEffect, useRef } from "react";
import type { Lifecycle, Task } from "../data/client.ts";
import { useStatusLabel } from "../design/status.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import type { Target } from "./targets.ts";
import { useDeed } from "./use-deed.ts";
import { moveWithoutAsking } from "./whole-move.ts";

/** Moves a task to where it was put: at once where nothing is to be asked, else after asking. */
export function MoveDialog({
  lifecycle,
  task,
  target,
  onClose,
}: {
  lifecycle: Lifecycle;
  task: Task;
  target: Target;
  onClose: () => void;
}) {
  const label = useStatusLabel(lifecycle.name);
  const { perform, attempt } = useDeed(lifecycle.name, task);
  const begun = useRef(false);
  const [only] = target.actions;
  const atOnce =
    target.actions.length === 1 && only !== undefined ? moveWithoutAsking(lifecycle, task, only) : null;
  useEffect(() => {
    if (atOnce === null || begun.current) return;
    begun.current = true;
    void attempt(atOnce).then(onClose);
  }, []);
  if (atOnce) return null;
  return (
    <ActionDialog
      lifecycle={lifecycle}
      actions={target.actions}
      task={task}
      title={`${label(task.status)} → ${label(target.status)}`}
      lead={task.title}
      perform={perform}
      onClose={onClose}
    />
  );
}
