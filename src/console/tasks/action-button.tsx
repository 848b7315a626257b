import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { useTaskAction } from "./use-task-action.ts";
import { moveWithoutInput } from "./build-move.ts";
import { useRefetch } from "../data/use-live-query.ts";

/** A button for one action on a task: runs it directly if it needs no input, else opens a dialog. */
export function ActionButton({
  lifecycle,
  task,
  action,
  label,
  look,
  disabled = false,
  title,
}: {
  lifecycle: string;
  task: Pick<Task, "id" | "row_version" | "title" | "status">;
  action: string;
  label: string;
  look?: "main" | "danger" | "quiet";
  disabled?: boolean;
  title?: string | undefined;
}) {
  const { data: definition } = useQuery(queries.lifecycle(lifecycle));
  const refetch = useRefetch(lifecycle);
  const { busy, perform, performOrToast } = useTaskAction(lifecycle, task, refetch);
  const [asking, setAsking] = useState(false);
  const start = async () => {
    if (!definition) return;
    const move = moveWithoutInput(definition, task, action);
    if (move === null) setAsking(true);
    // The data on the page may be outdated, which would explain the refusal.
    else if (!(await performOrToast(move))) await refetch();
  };
  return (
    <>
      <Button
        small
        {...(look ? { look } : {})}
        disabled={disabled || busy}
        title={title}
        onClick={() => void start()}
      >
        {label}
      </Button>
      {asking && definition && (
        <ActionDialog
          lifecycle={definition}
          actions={[action]}
          task={task}
          title={label}
          lead={task.title}
          perform={perform}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
