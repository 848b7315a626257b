import { useState } from "react";
import {
  addresses,
  AskDialog,
  Button,
  EmptyState,
  LifecycleHead,
  Link,
  Person,
  ProjectPicker,
  toast,
  useRefetch,
  useLiveQuery,
  useNow,
  useTexts,
  useI18n,
  Loaded,
} from "../../../console/index.ts";
import { PlanShift } from "./plan-shift.tsx";
import { POLL_INTERVAL_MS, MAX_ROWS, planner, useIsLead, useProject } from "./planner-calls.ts";
import type { PlannerTask, Shift } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";
import "./planner.css";

const MAX_PAST = 10;

/** Shifts, with the tasks of their members. */
export default function ShiftsScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const project = useProject();
  const isLead = useIsLead();
  const [planning, setPlanning] = useState(false);
  const shifts = useLiveQuery({
    lifecycle,
    key: ["shifts", project],
    ask: (signal) => planner.listShifts({ ...project, limit: MAX_ROWS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const held = useLiveQuery({
    lifecycle,
    key: ["held", project],
    ask: (signal) =>
      planner.listPlannerTasks(
        { status: ["assigned", "in_progress"], limit: MAX_ROWS, ...project },
        { signal },
      ),
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
        {isLead && (
          <Button
            look="main"
            icon="plus"
            onClick={() => {
              setPlanning(true);
            }}
          >
            {texts.plan}
          </Button>
        )}
      </LifecycleHead>
      <Loaded of={[shifts]}>
        {(planned) => (
          <ShiftGroups lifecycle={lifecycle} shifts={planned.shifts} held={held.data?.tasks ?? []} />
        )}
      </Loaded>
      {planning && (
        <PlanShift
          lifecycle={lifecycle}
          onClose={() => {
            setPlanning(false);
          }}
        />
      )}
    </>
  );
}

type When = "running" | "coming" | "past";

function whenOf({ starts_at, ends_at }: Shift, now: number): When {
  return Date.parse(ends_at) <= now ? "past" : Date.parse(starts_at) > now ? "coming" : "running";
}

function ShiftGroups({
  lifecycle,
  shifts,
  held,
}: {
  lifecycle: string;
  shifts: readonly Shift[];
  held: readonly PlannerTask[];
}) {
  const texts = useTexts(TEXTS);
  const now = useNow(5);
  if (shifts.length === 0)
    return <EmptyState icon="clock" title={texts.noShifts} hint={texts.noShiftsHint} />;
  const shiftsOf = (when: When) => shifts.filter((shift) => whenOf(shift, now) === when);
  const groups: [When, readonly Shift[]][] = [
    ["running", shiftsOf("running")],
    ["coming", shiftsOf("coming")],
    ["past", shiftsOf("past").toReversed().slice(0, MAX_PAST)],
  ];
  return groups.map(
    ([when, some]) =>
      (some.length > 0 || when === "running") && (
        <section key={when} className="card" aria-label={texts[when]}>
          <header className="head">
            <h2>{texts[when]}</h2>
            {some.length > 0 && <span className="badge">{some.length}</span>}
          </header>
          {some.length === 0 ? (
            <p className="body faint">{texts.noneRunning}</p>
          ) : (
            <ul className="lines">
              {some.map((shift) => (
                <li key={shift.id} data-shift={shift.id}>
                  <ShiftLine lifecycle={lifecycle} shift={shift} when={when} held={held} />
                </li>
              ))}
            </ul>
          )}
        </section>
      ),
  );
}

function ShiftLine({
  lifecycle,
  shift,
  when,
  held,
}: {
  lifecycle: string;
  shift: Shift;
  when: When;
  held: readonly PlannerTask[];
}) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(1);
  const isLead = useIsLead();
  const [begin, end] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)];
  const share = Math.min(1, Math.max(0, (now - begin) / Math.max(1, end - begin)));
  return (
    <div className="shift">
      <div className="row wrap">
        <b className="num">{f.between(begin, end)}</b>
        <span className="faint small num">
          {when === "running" && texts.endsIn(f.span((end - now) / 1_000))}
          {when === "coming" && texts.startsIn(f.span((begin - now) / 1_000))}
          {when === "past" && texts.over(f.ago(end, now))}
        </span>
        {when === "past" && !shift.settled && (
          <span className="chip plain" data-tone="warn">
            {texts.unsettled}
          </span>
        )}
        <span className="push" />
        {when === "running" && isLead && <EndNow lifecycle={lifecycle} shift={shift} />}
      </div>
      {when === "running" && (
        <div className="bar" aria-hidden="true">
          <i style={{ transform: `scaleX(${share.toFixed(4)})` }} />
        </div>
      )}
      <ul className="crew">
        {shift.members.map((id) => {
          const task = held.find(({ assigned_to }) => assigned_to === id);
          return (
            <li key={id}>
              <Person id={id} />
              {when === "running" &&
                (task ? (
                  <Link className="cut" href={addresses.task(task.id)} title={task.title}>
                    {task.title}
                  </Link>
                ) : (
                  <span className="faint">{texts.free}</span>
                ))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function EndNow({ lifecycle, shift }: { lifecycle: string; shift: Shift }) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        small
        look="danger"
        onClick={() => {
          setAsking(true);
        }}
      >
        {texts.endNow}
      </Button>
      {asking && (
        <AskDialog
          form={`end-shift/${shift.id}`}
          title={texts.endTitle}
          lead={texts.endSure}
          questions={[]}
          submit={texts.endNow}
          danger
          perform={async () => {
            const { released, kept } = await planner.endShift({ id: shift.id });
            toast(texts.ended(released.length, kept.length));
            await refetch();
          }}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
