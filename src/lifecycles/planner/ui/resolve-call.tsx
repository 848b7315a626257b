import { useState } from "react";
import { AskDialog, Button, toast, useRefetch, useTexts } from "../../../console/index.ts";
import { planner } from "./planner-calls.ts";
import type { PlannerTask } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";

/** The button and the dialog to resolve a call for help. */
export function ResolveCall({
  lifecycle,
  task,
  escalationId,
}: {
  lifecycle: string;
  task: PlannerTask;
  escalationId: string;
}) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const [answering, setAnswering] = useState(false);
  return (
    <>
      <Button
        small
        onClick={() => {
          setAnswering(true);
        }}
      >
        {texts.resolve}
      </Button>
      {answering && (
        <AskDialog
          form={`resolve/${escalationId}`}
          title={texts.resolveTitle}
          lead={task.title}
          questions={[
            { name: "note", label: texts.note, hint: texts.noteHint, kind: "text", required: true },
          ]}
          submit={texts.resolve.replace("…", "")}
          perform={async ({ note }) => {
            const { row_version } = await planner.getPlannerTask({ id: task.id });
            await planner.resolveEscalation({
              id: task.id,
              escalation_id: escalationId,
              note,
              expected_row_version: row_version,
            });
            toast(texts.resolved);
            await refetch();
          }}
          onClose={() => {
            setAnswering(false);
          }}
        />
      )}
    </>
  );
}
