import { useEffect, useRef } from "react";
import type { Lifecycle, Task } from "../data/client.ts";
import { useStatusLabel } from "../design/status.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import type { MoveTarget } from "./move-targets.ts";
import { useTaskAction } from "./use-task-action.ts";
import { moveWithoutInput } from "./build-move.ts";

/** Moves a dropped task: directly if the action needs no input, else through a dialog. */
export function MoveTask({
  lifecycle,
  task,
  target,
  onClose,
}: {
  lifecycle: Lifecycle;
  task: Task;
  target: MoveTarget;
  onClose: () => void;
}) {
  const label = useStatusLabel(lifecycle.name);
  const { perform, performOrToast } = useTaskAction(lifecycle.name, task);
  const started = useRef(false);
  const [only] = target.actions;
  const directMove =
    target.actions.length === 1 && only !== undefined ? moveWithoutInput(lifecycle, task, only) : null;
  useEffect(() => {
    if (directMove === null || started.current) return;
    started.current = true;
    void performOrToast(directMove).then(onClose);
  }, []);
  if (directMove) return null;
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
