import { useState } from "react";
import {
  Button,
  LifecycleHead,
  Loaded,
  Person,
  ProjectPicker,
  useI18n,
  useLiveQuery,
  useMe,
  useNow,
  useTexts,
} from "../../../console/index.ts";
import { addDays } from "./local-time.ts";
import { PatternList } from "./pattern-list.tsx";
import { POLL_INTERVAL_MS, planner, useIsLead, useProject } from "./planner-calls.ts";
import type { Shift } from "./planner-calls.ts";
import { CopyWeek, RepeatShift, ShiftActions } from "./shift-dialogs.tsx";
import { SHIFT_TEXTS } from "./shift-texts.ts";
import "./week.css";

const DAYS = [0, 1, 2, 3, 4, 5, 6];

/** The shifts of a week: all for those who may read them, and an executor's own. */
export default function WeekScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(SHIFT_TEXTS);
  const isLead = useIsLead();
  const { roles } = useMe();
  const project = useProject();
  const [weeks, setWeeks] = useState(0);
  const [asking, setAsking] = useState<"copy" | "repeat" | null>(null);
  const monday = mondayOf(new Date(), weeks);
  const range = { from: monday.toISOString(), to: addDays(monday, 7).toISOString() };
  const isOwn = !isLead && roles.includes("executor");
  const shifts = useLiveQuery({
    lifecycle,
    key: ["week", project, range.from, isOwn],
    ask: (signal) => fetchWeek({ ...project, ...range }, isOwn, signal),
    everyMs: POLL_INTERVAL_MS,
  });
  const close = () => {
    setAsking(null);
  };
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
        {isLead && (
          <>
            <Button
              onClick={() => {
                setAsking("copy");
              }}
            >
              {texts.copy}
            </Button>
            <Button
              look="main"
              icon="plus"
              onClick={() => {
                setAsking("repeat");
              }}
            >
              {texts.repeat}
            </Button>
          </>
        )}
      </LifecycleHead>
      <WeekNav monday={monday} weeks={weeks} onChange={setWeeks} />
      {isOwn && <p className="faint small">{texts.mine}</p>}
      <Loaded of={[shifts]}>
        {(planned) => (
          <div className="week">
            {DAYS.map((day) => (
              <Day
                key={day}
                lifecycle={lifecycle}
                date={addDays(monday, day)}
                shifts={planned}
                isFirst={day === 0}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isLead && <PatternList lifecycle={lifecycle} />}
      {asking === "copy" && <CopyWeek lifecycle={lifecycle} monday={monday} onClose={close} />}
      {asking === "repeat" && <RepeatShift lifecycle={lifecycle} monday={monday} onClose={close} />}
    </>
  );
}

function WeekNav({
  monday,
  weeks,
  onChange,
}: {
  monday: Date;
  /** Weeks after the current one. */
  weeks: number;
  onChange: (weeks: number) => void;
}) {
  const texts = useTexts(SHIFT_TEXTS);
  const { language } = useI18n();
  const days = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
  return (
    <nav className="week-nav" aria-label={texts.week}>
      <Button
        aria-label={texts.earlier}
        onClick={() => {
          onChange(weeks - 1);
        }}
      >
        ‹
      </Button>
      <b className="num">{days.formatRange(monday, addDays(monday, 6))}</b>
      <Button
        aria-label={texts.later}
        onClick={() => {
          onChange(weeks + 1);
        }}
      >
        ›
      </Button>
      <Button
        disabled={weeks === 0}
        onClick={() => {
          onChange(0);
        }}
      >
        {texts.thisWeek}
      </Button>
    </nav>
  );
}

async function fetchWeek(
  query: { project_id?: string; from: string; to: string },
  isOwn: boolean,
  signal: AbortSignal,
): Promise<Shift[]> {
  const all: Shift[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = { ...query, limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const answer = isOwn
      ? await planner.listMyShifts(page, { signal })
      : await planner.listShifts({ ...page, canceled: true }, { signal });
    all.push(...answer.shifts);
    cursor = answer.cursor;
  }
  return all.sort((one, other) => one.starts_at.localeCompare(other.starts_at));
}

function Day({
  lifecycle,
  date,
  shifts,
  isFirst,
}: {
  lifecycle: string;
  date: Date;
  shifts: readonly Shift[];
  isFirst: boolean;
}) {
  const texts = useTexts(SHIFT_TEXTS);
  const { language } = useI18n();
  const now = useNow(60);
  const [begin, end] = [date.getTime(), addDays(date, 1).getTime()];
  const name = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "short" }).format(
    date,
  );
  // A shift is shown on the day on which it begins; one that began in the week before, on the first day.
  const here = shifts.filter(({ starts_at }) => {
    const start = Date.parse(starts_at);
    return (start >= begin || isFirst) && start < end;
  });
  return (
    <section className="day" aria-label={name} data-today={now >= begin && now < end}>
      <h2>{name}</h2>
      {here.length === 0 ? (
        <p className="faint small">{texts.none}</p>
      ) : (
        <ul>
          {here.map((shift) => (
            <li key={shift.id} data-shift={shift.id}>
              <ShiftCard lifecycle={lifecycle} shift={shift} now={now} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ShiftCard({ lifecycle, shift, now }: { lifecycle: string; shift: Shift; now: number }) {
  const texts = useTexts(SHIFT_TEXTS);
  const { language } = useI18n();
  const isLead = useIsLead();
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const [begin, end] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)];
  const state =
    shift.canceled_at !== null ? "canceled" : end <= now ? "past" : begin <= now ? "running" : "coming";
  return (
    <article className="shift-card" data-state={state}>
      <div className="row wrap">
        <b className="num">
          {time.format(begin)}–{time.format(end)}
        </b>
        {shift.pattern_id !== null && <span className="tag">{texts.repeated}</span>}
      </div>
      {shift.canceled_at !== null && <p className="small">{texts.canceled(shift.cancel_reason ?? "")}</p>}
      <ul className="small">
        {shift.members.map((id) => (
          <li key={id}>
            <Person id={id} />
          </li>
        ))}
      </ul>
      {isLead && (state === "coming" || state === "running") && (
        <ShiftActions lifecycle={lifecycle} shift={shift} hasBegun={state === "running"} />
      )}
    </article>
  );
}

/** Returns the Monday of a week in local time. */
function mondayOf(now: Date, weeks: number): Date {
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return addDays(date, weeks * 7 - ((date.getDay() + 6) % 7));
}
