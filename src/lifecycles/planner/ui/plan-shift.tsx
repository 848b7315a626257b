import { useQuery } from "@tanstack/react-query";
import { AskDialog, queries, toast, useRefetch, useTexts } from "../../../console/index.ts";
import { localMoment } from "./local-time.ts";
import { planner, useProject } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";

const SHIFT_MS = 8 * 3_600_000;

/** The dialog that plans a shift. */
export function PlanShift({ lifecycle, onClose }: { lifecycle: string; onClose: () => void }) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const project = useProject();
  const { data: members = [] } = useQuery(queries.members());
  const executors = members.filter(({ roles, active }) => active && roles.includes("executor"));
  const now = Date.now();
  return (
    <AskDialog
      form="plan-shift"
      title={texts.planTitle}
      questions={[
        { name: "starts", label: texts.starts, kind: "moment", required: true, initial: localMoment(now) },
        {
          name: "ends",
          label: texts.ends,
          kind: "moment",
          required: true,
          initial: localMoment(now + SHIFT_MS),
        },
        {
          name: "members",
          label: texts.members,
          kind: "multiple",
          required: true,
          options: executors.map(({ id, name }) => ({ value: id, label: name })),
        },
      ]}
      submit={texts.plan}
      perform={async ({ starts, ends, members: chosen }) => {
        await planner.createShift({
          ...project,
          starts_at: new Date(starts).toISOString(),
          ends_at: new Date(ends).toISOString(),
          members: chosen.split("\n"),
        });
        toast(texts.planned);
        await refetch();
      }}
      onClose={onClose}
    />
  );
}
