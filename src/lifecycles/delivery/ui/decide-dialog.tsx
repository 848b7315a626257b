import { AskDialog, toast, useRefetch, useTexts } from "../../../console/index.ts";
import { delivery } from "./delivery-calls.ts";
import type { User } from "./delivery-calls.ts";
import { TEXTS } from "./texts.ts";

export type Decision = "approve" | "extend" | "block";

/** Dialog for a decision about a user. */
export function DecideDialog({
  lifecycle,
  user: { id, name },
  decision,
  onClose,
}: {
  lifecycle: string;
  user: User;
  decision: Decision;
  onClose: () => void;
}) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const titles = {
    approve: [texts.approveTitle(name), texts.approved(name)],
    extend: [texts.extendTitle(name), texts.extended(name)],
    block: [texts.blockTitle(name), texts.blocked(name)],
  } as const;
  const [title, confirmation] = titles[decision];
  const isBlock = decision === "block";
  return (
    <AskDialog
      form={`${decision}/${id}`}
      title={title}
      {...(isBlock ? { lead: texts.blockSure } : {})}
      questions={
        isBlock
          ? []
          : [
              { name: "days", label: texts.days, hint: texts.daysHint, kind: "number" as const },
              {
                name: "until",
                label: texts.accessUntil,
                hint: texts.accessUntilHint,
                kind: "moment" as const,
              },
            ]
      }
      submit={texts[decision]}
      danger={isBlock}
      perform={async ({ days = "", until = "" }: { days?: string; until?: string }) => {
        const parsedDays = days.trim() === "" ? null : Number(days.replace(",", "."));
        const timed = { id, days: parsedDays, until: until === "" ? null : new Date(until).toISOString() };
        if (decision === "approve") await delivery.approveDeliveryUser(timed);
        else if (decision === "extend") await delivery.extendDeliveryUser(timed);
        else await delivery.blockDeliveryUser({ id });
        toast(confirmation);
        await refetch();
      }}
      onClose={onClose}
    />
  );
}
