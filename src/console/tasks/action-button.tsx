import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { useDeed } from "./use-deed.ts";
import { moveWithoutAsking } from "./whole-move.ts";
import { useRefetch } from "../data/use-live-query.ts";

/** A button that does one thing to a task: at once where nothing is to be asked, else after asking. */
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
  const askAnew = useRefetch(lifecycle);
  const { busy, perform, attempt } = useDeed(lifecycle, task, askAnew);
  const [asking, setAsking] = useState(false);
  const begin = async () => {
    if (!definition) return;
    const move = moveWithoutAsking(definition, task, action);
    if (move === null) setAsking(true);
    // What was shown may have been old: that is why it was refused.
    else if (!(await attempt(move))) await askAnew();
  };
  return (
    <>
      <Button
        small
        {...(look ? { look } : {})}
        disabled={disabled || busy}
        title={title}
        onClick={() => void begin()}
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
