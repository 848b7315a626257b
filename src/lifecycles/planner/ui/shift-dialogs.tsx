import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { AskDialog, Button, queries, toast, useRefetch, useTexts } from "../../../console/index.ts";
import { browserTimeZone, localDate, localMoment } from "./local-time.ts";
import { planner, useProject } from "./planner-calls.ts";
import type { Shift } from "./planner-calls.ts";
import { SHIFT_TEXTS } from "./shift-texts.ts";
import { TEXTS } from "./texts.ts";

const HOUR_MS = 3_600_000;
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type DialogProps = { lifecycle: string; onClose: () => void };
type ShiftDialogProps = DialogProps & { shift: Shift };

/** The buttons of a shift that has not ended. */
export function ShiftActions({
  lifecycle,
  shift,
  hasBegun,
}: {
  lifecycle: string;
  shift: Shift;
  hasBegun: boolean;
}) {
  const texts = useTexts(SHIFT_TEXTS);
  const [asking, setAsking] = useState<"edit" | "extend" | "cancel" | null>(null);
  const common = {
    lifecycle,
    shift,
    onClose: () => {
      setAsking(null);
    },
  };
  const actions = hasBegun ? (["edit", "extend"] as const) : (["edit", "extend", "cancel"] as const);
  return (
    <div className="row wrap">
      {actions.map((action) => (
        <Button
          key={action}
          small
          onClick={() => {
            setAsking(action);
          }}
        >
          {texts[action]}
        </Button>
      ))}
      {asking === "edit" && <EditShift {...common} hasBegun={hasBegun} />}
      {asking === "extend" && <ExtendShift {...common} />}
      {asking === "cancel" && <CancelShift {...common} />}
    </div>
  );
}

function useExecutors() {
  const { data: members = [] } = useQuery(queries.members());
  return members
    .filter(({ roles, active }) => active && roles.includes("executor"))
    .map(({ id, name }) => ({ value: id, label: name }));
}

function EditShift({ lifecycle, shift, hasBegun, onClose }: ShiftDialogProps & { hasBegun: boolean }) {
  const texts = useTexts(SHIFT_TEXTS);
  const shared = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const executors = useExecutors();
  const others = shift.members.filter((id) => !executors.some(({ value }) => value === id));
  const moment = (name: "starts_at" | "ends_at", label: string) => ({
    name,
    label,
    kind: "moment" as const,
    required: true,
    initial: localMoment(Date.parse(shift[name])),
  });
  return (
    <AskDialog
      form={`edit-shift/${shift.id}/${shift.row_version}`}
      title={texts.editTitle}
      questions={[
        ...(hasBegun ? [] : [moment("starts_at", shared.starts)]),
        moment("ends_at", shared.ends),
        {
          name: "members" as const,
          label: shared.members,
          kind: "multiple" as const,
          required: true,
          initial: shift.members.join("\n"),
          options: [...executors, ...others.map((id) => ({ value: id, label: id }))],
        },
      ]}
      submit={texts.save}
      perform={async ({ starts_at, ends_at, members }) => {
        const { released } = await planner.changeShift({
          id: shift.id,
          ...(hasBegun ? {} : { starts_at: changedMoment(starts_at, shift.starts_at) }),
          ends_at: changedMoment(ends_at, shift.ends_at),
          members: members.split("\n"),
          expected_row_version: shift.row_version,
        });
        toast(texts.saved(released.length));
        await refetch();
      }}
      onClose={onClose}
    />
  );
}

/** Returns the moment that a field shows; undefined if it was not changed: a field shows no seconds, and not which of two equal local times. */
function changedMoment(shown: string, before: string): string | undefined {
  return shown === localMoment(Date.parse(before)) ? undefined : new Date(shown).toISOString();
}

function ExtendShift({ lifecycle, shift, onClose }: ShiftDialogProps) {
  const texts = useTexts(SHIFT_TEXTS);
  const shared = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const initial = localMoment(Date.parse(shift.ends_at) + HOUR_MS);
  return (
    <AskDialog
      form={`extend-shift/${shift.id}/${shift.row_version}`}
      title={texts.extendTitle}
      questions={[{ name: "ends_at", label: shared.ends, kind: "moment", required: true, initial }]}
      submit={texts.save}
      perform={async ({ ends_at }) => {
        await planner.extendShift({ id: shift.id, ends_at: new Date(ends_at).toISOString() });
        toast(texts.extended);
        await refetch();
      }}
      onClose={onClose}
    />
  );
}

function CancelShift({ lifecycle, shift, onClose }: ShiftDialogProps) {
  const texts = useTexts(SHIFT_TEXTS);
  const refetch = useRefetch(lifecycle);
  return (
    <AskDialog
      form={`cancel-shift/${shift.id}`}
      title={texts.cancelTitle}
      lead={texts.cancelHint}
      questions={[{ name: "reason", label: texts.reason, required: true }]}
      submit={texts.cancel.replace("…", "")}
      danger
      perform={async ({ reason }) => {
        await planner.cancelShift({ id: shift.id, reason });
        toast(texts.canceled(reason));
        await refetch();
      }}
      onClose={onClose}
    />
  );
}

/** Copies the week before the shown one to it. */
export function CopyWeek({ lifecycle, monday, onClose }: DialogProps & { monday: Date }) {
  const texts = useTexts(SHIFT_TEXTS);
  const refetch = useRefetch(lifecycle);
  const project = useProject();
  const before = new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() - 7);
  return (
    <AskDialog
      form="copy-week"
      title={texts.copyTitle}
      lead={texts.copyHint}
      questions={[]}
      submit={texts.copy}
      perform={async () => {
        const days = { from: localDate(before), to: localDate(monday) };
        const { shifts, skipped } = await planner.copyShifts({
          ...project,
          ...days,
          time_zone: browserTimeZone(),
        });
        toast(texts.copied(shifts.length, skipped.length));
        await refetch();
      }}
      onClose={onClose}
    />
  );
}

/** Creates a pattern that repeats on weekdays. */
export function RepeatShift({ lifecycle, monday, onClose }: DialogProps & { monday: Date }) {
  const texts = useTexts(SHIFT_TEXTS);
  const shared = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const project = useProject();
  const executors = useExecutors();
  const time_zone = browserTimeZone();
  const line = { required: true, hint: texts.timeHint };
  return (
    <AskDialog
      form="repeat-shift"
      title={texts.repeatTitle}
      lead={texts.repeatHint(time_zone)}
      questions={[
        { name: "name", label: texts.name, required: true },
        { name: "starts", label: shared.starts, ...line, initial: "06:00" },
        { name: "ends", label: shared.ends, ...line, initial: "14:00" },
        {
          name: "weekdays",
          label: texts.weekdays,
          kind: "multiple",
          required: true,
          initial: WEEKDAYS.slice(0, 5).join("\n"),
          options: WEEKDAYS.map((value) => ({ value, label: texts.days[value] })),
        },
        { name: "from_date", label: texts.from, required: true, initial: localDate(monday) },
        { name: "until_date", label: texts.until, hint: texts.dateHint },
        { name: "members", label: shared.members, kind: "multiple", required: true, options: executors },
      ]}
      submit={texts.save}
      perform={async ({ weekdays, members, until_date, ...fields }) => {
        const { added } = await planner.createShiftPattern({
          ...project,
          ...fields,
          time_zone,
          weekdays: WEEKDAYS.filter((day) => weekdays.split("\n").includes(day)),
          members: members.split("\n"),
          ...(until_date === "" ? {} : { until_date }),
        });
        toast(texts.repeatDone(added));
        await refetch();
      }}
      onClose={onClose}
    />
  );
}
