import { useState } from "react";
import { AskDialog, Button, localMoment, toast, useRefetch, useTexts } from "../../../console/index.ts";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { planner } from "./planner-calls.ts";
import type { PlannerTask } from "./planner-calls.ts";

/** The button and the dialog to change the due date and the estimate. It is refused if the task has changed meanwhile. */
export function ChangeDue({ lifecycle, task }: { lifecycle: string; task: PlannerTask }) {
  const texts = useTexts(LEAD_TEXTS);
  const refetch = useRefetch(lifecycle);
  const [asking, setAsking] = useState(false);
  const change = async ({ due, estimate }: Record<"due" | "estimate", string>) => {
    await planner.changePlannerTask({
      id: task.id,
      due_at: due.trim() === "" ? null : new Date(due).toISOString(),
      estimate_minutes: estimate.trim() === "" ? null : Number(estimate),
      expected_row_version: task.row_version,
    });
    toast(texts.dueChanged);
    await refetch();
  };
  return (
    <>
      <Button
        small
        onClick={() => {
          setAsking(true);
        }}
      >
        {texts.changeDue}
      </Button>
      {asking && (
        <AskDialog
          form={`due/${task.id}`}
          title={texts.changeDue.replace("…", "")}
          lead={task.title}
          questions={[
            {
              name: "due",
              label: texts.dueAt,
              hint: texts.dueHint,
              kind: "moment",
              initial: task.due_at === null ? "" : localMoment(task.due_at),
            },
            {
              name: "estimate",
              label: texts.estimateMinutes,
              kind: "number",
              initial: task.estimate_minutes === null ? "" : String(task.estimate_minutes),
            },
          ]}
          submit={texts.changeDue.replace("…", "")}
          perform={change}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
