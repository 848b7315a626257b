import type { Task } from "../data/client.ts";
import { useStatusLabel } from "../design/status.tsx";
import { toast } from "../design/toasts.tsx";
import { useToastOnError } from "../design/use-toast-on-error.ts";
import { useI18n, useNames } from "../texts/i18n.tsx";
import { useMove } from "./use-move.ts";
import type { MoveRequest } from "./use-move.ts";

type ShownTask = Pick<Task, "id" | "title" | "status">;

/** Runs an action and shows a toast when it is done: `perform` for dialogs, which show errors themselves; `performOrToast` for buttons. */
export function useTaskAction(lifecycle: string, task: ShownTask, onDone?: () => Promise<unknown>) {
  const { t } = useI18n();
  const names = useNames();
  const label = useStatusLabel(lifecycle);
  const move = useMove(task);
  const [busy, run] = useToastOnError();
  const perform = async (request: MoveRequest) => {
    const { task: now } = await move.mutateAsync(request);
    const moved = now.status !== task.status;
    const success = names(lifecycle).success(request.action, task.title);
    toast(
      success ??
        (moved
          ? t.board.moved(task.title, label(now.status))
          : t.board.done(names(lifecycle).action(request.action))),
    );
    await onDone?.();
  };
  return {
    busy: busy || move.isPending,
    perform,
    performOrToast: (request: MoveRequest) => run(() => perform(request)),
  };
}
