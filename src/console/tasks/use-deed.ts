import type { Task } from "../data/client.ts";
import { useStatusLabel } from "../design/status.tsx";
import { toast } from "../design/toasts.tsx";
import { useAttempt } from "../design/use-attempt.ts";
import { useI18n } from "../texts/i18n.tsx";
import { useAct } from "./act.ts";
import type { Move } from "./act.ts";

type Subject = Pick<Task, "id" | "title" | "status">;

/** What is done to a task, and said of it when it is done: `perform` for a dialog, which shows what goes wrong; `attempt` for a button. */
export function useDeed(lifecycle: string, task: Subject, onDone?: () => Promise<unknown>) {
  const { t, n } = useI18n();
  const label = useStatusLabel(lifecycle);
  const act = useAct(task);
  const [busy, attempt] = useAttempt();
  const perform = async (move: Move) => {
    const { task: now } = await act.mutateAsync(move);
    const moved = now.status !== task.status;
    toast(moved ? t.board.moved(task.title, label(now.status)) : t.board.done(n.action(move.action)));
    await onDone?.();
  };
  return { busy: busy || act.isPending, perform, attempt: (move: Move) => attempt(() => perform(move)) };
}
