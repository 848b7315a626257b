import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { PawlProblem } from "../data/client.ts";
import type { Task } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { useStatusLabel } from "../design/status.tsx";
import { toast } from "../design/toasts.tsx";
import { ActionDialog, needsNothing } from "../tasks/action-dialog.tsx";
import { useAct } from "../tasks/act.ts";
import type { Move } from "../tasks/act.ts";
import { useWords } from "../texts/words.tsx";
import { useAskAnew } from "./live-answer.ts";

/** A button that does one thing to a task: at once where nothing is to be asked, else after asking. */
export function Deed({
  lifecycle,
  task,
  action,
  label,
  look,
  disabled = false,
  title,
}: {
  lifecycle: string;
  task: Pick<Task, "id" | "row_version" | "title">;
  action: string;
  label: string;
  look?: "main" | "danger" | "quiet";
  disabled?: boolean;
  title?: string | undefined;
}) {
  const { t } = useWords();
  const statusLabel = useStatusLabel(lifecycle);
  const { data: definition } = useQuery(queries.lifecycle(lifecycle));
  const act = useAct(task);
  const askAnew = useAskAnew(lifecycle);
  const [asking, setAsking] = useState(false);
  const perform = async (move: Move) => {
    const moved = await act.mutateAsync(move);
    toast(t.board.moved(task.title, statusLabel(moved.task.status)));
    await askAnew();
  };
  const begin = () => {
    if (!definition) return;
    if (!needsNothing(definition, action)) {
      setAsking(true);
      return;
    }
    const spec = definition.actions.find(({ name }) => name === action);
    const version =
      spec?.expected_row_version === "required" ? { expected_row_version: task.row_version } : {};
    perform({ action, ...version }).catch((error: unknown) => {
      toast(error instanceof PawlProblem ? error.detail : String(error), "bad");
      void askAnew();
    });
  };
  return (
    <>
      <Button
        small
        {...(look ? { look } : {})}
        disabled={disabled || act.isPending}
        title={title}
        onClick={begin}
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
