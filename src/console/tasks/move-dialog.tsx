import { useEffect, useRef } from "react";
import { PawlProblem } from "../data/client.ts";
import type { Lifecycle, Task } from "../data/client.ts";
import { useStatusLabel } from "../design/status.tsx";
import { toast } from "../design/toasts.tsx";
import { useWords } from "../texts/words.tsx";
import { ActionDialog, needsNothing } from "./action-dialog.tsx";
import { useAct } from "./act.ts";
import type { Move } from "./act.ts";
import type { Target } from "./targets.ts";

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
  const { t } = useWords();
  const label = useStatusLabel(lifecycle.name);
  const act = useAct(task);
  const begun = useRef(false);
  const [only] = target.actions;
  const atOnce = target.actions.length === 1 && only !== undefined && needsNothing(lifecycle, only);
  const perform = async (move: Move) => {
    const moved = await act.mutateAsync(move);
    toast(t.board.moved(task.title, label(moved.task.status)));
  };
  useEffect(() => {
    if (!atOnce || begun.current) return;
    begun.current = true;
    perform({ action: only })
      .catch((error: unknown) => {
        toast(error instanceof PawlProblem ? error.detail : String(error), "bad");
      })
      .finally(onClose);
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
