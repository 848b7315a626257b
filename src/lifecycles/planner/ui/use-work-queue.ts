import { useOutbox } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";
import type { QueuedWork } from "./queued-work.ts";

type Target = Pick<QueuedWork, "row_version"> & { task: { id: string; title: string } };

/** Queues the actions of an executor with their keys, for the version of the task that is on the screen. */
export function useWorkQueue(lifecycle: string) {
  const outbox = useOutbox();
  const aboutTask = ({ task: { id, title }, row_version }: Target) => ({
    lifecycle,
    task_id: id,
    title,
    row_version,
  });
  return {
    ...outbox,
    move: (
      target: Target,
      action: string,
      payload: Record<string, unknown> = {},
      text: string | null = null,
    ) => {
      outbox.add({
        ...aboutTask(target),
        action,
        text,
        route: ROWS.movePlannerTask,
        // A call for help is for any version: it must get through.
        fields: {
          id: target.task.id,
          action,
          payload,
          ...(action === "escalate" ? {} : { expected_row_version: target.row_version }),
        },
      });
    },
    reportDefect: (target: Target, description: string, severity: string) => {
      outbox.add({
        ...aboutTask(target),
        action: REPORT_DEFECT,
        text: description,
        route: ROWS.reportDefect,
        fields: { id: target.task.id, description, severity },
      });
    },
  };
}

/** Not an action of the lifecycle: it records a defect and does not change the task. */
export const REPORT_DEFECT = "report_defect";
