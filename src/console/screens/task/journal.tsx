import { useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { JournalEntry, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { useNow } from "../../design/clock.ts";
import { Icon } from "../../design/icon.tsx";
import { Markdown } from "../../design/markdown.tsx";
import { Person } from "../../design/person.tsx";
import { Skeleton } from "../../design/states.tsx";
import { StatusChip, toneOf } from "../../design/status.tsx";
import { DataValue } from "../../tasks/data-value.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { foldRepeats } from "./fold-repeats.ts";
import type { Fold } from "./fold-repeats.ts";
import { taskTexts } from "./task-texts.ts";
import { useI18n } from "../../texts/i18n.tsx";

const SHOWN_FIRST = 25;

/** Journal of a task, newest entry first. */
export function Journal({ task, entries }: { task: Task; entries: readonly JournalEntry[] | undefined }) {
  const { t, f } = useI18n();
  const [all, setAll] = useState(false);
  const newestFirst = useMemo(() => [...(entries ?? [])].reverse(), [entries]);
  const folds = useMemo(() => foldRepeats(newestFirst), [newestFirst]);
  const shown = all ? folds : folds.slice(0, SHOWN_FIRST);
  const before = (entry: JournalEntry) => newestFirst[newestFirst.indexOf(entry) + 1];
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.journal}</h2>
        {entries && <span className="badge">{f.number(entries.length)}</span>}
      </header>
      <div className="body">
        {!entries && <Skeleton lines={4} height={28} />}
        <ol className="timeline">
          {shown.map((fold) => (
            <Folded
              key={(fold.folded.at(-1) ?? fold.shown.at(-1))?.id}
              lifecycle={task.lifecycle}
              fold={fold}
              before={before}
            />
          ))}
        </ol>
        {folds.length > SHOWN_FIRST && (
          <Button
            small
            onClick={() => {
              setAll(!all);
            }}
          >
            {all ? t.task.less : t.task.more}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Entries, with a button in place of those that repeat them. */
function Folded({
  lifecycle,
  fold: { shown, folded },
  before,
}: {
  lifecycle: string;
  fold: Fold;
  before: (entry: JournalEntry) => JournalEntry | undefined;
}) {
  const t = useTexts(taskTexts);
  const [open, setOpen] = useState(false);
  return (
    <>
      {[...shown, ...(open ? folded : [])].map((entry) => (
        <Entry key={entry.id} lifecycle={lifecycle} entry={entry} before={before(entry)} />
      ))}
      {folded.length > 0 && (
        <li className="repeats">
          <Button
            small
            look="quiet"
            aria-expanded={open}
            onClick={() => {
              setOpen(!open);
            }}
          >
            {open ? t.hideRepeats : t.showRepeats(folded.length)}
          </Button>
        </li>
      )}
    </>
  );
}

type EntryProps = { lifecycle: string; entry: JournalEntry; before: JournalEntry | undefined };

function Entry({ lifecycle, entry, before }: EntryProps) {
  const { t, f, n } = useI18n();
  const now = useNow(10);
  const { data } = useQuery(queries.lifecycle(lifecycle));
  const moved = entry.to_status !== null && entry.from_status !== entry.to_status;
  const payload = Object.entries(entry.payload ?? {});
  return (
    <li
      data-tone={moved && entry.to_status !== null ? toneOf(data, entry.to_status) : "slate"}
      data-moved={moved}
    >
      <div className="row wrap">
        <b>{n.action(entry.action)}</b>
        {moved && entry.from_status !== null && (
          <>
            <StatusChip lifecycle={lifecycle} status={entry.from_status} />
            <Icon name="arrow" />
          </>
        )}
        {moved && entry.to_status !== null && <StatusChip lifecycle={lifecycle} status={entry.to_status} />}
        <span className="small">
          <Person id={entry.actor_id} absent={t.common.system} />
        </span>
        <time className="push faint small num" dateTime={entry.created_at} title={f.moment(entry.created_at)}>
          {f.ago(entry.created_at, now)}
          {before &&
            ` · ${t.task.lasted(f.span((Date.parse(entry.created_at) - Date.parse(before.created_at)) / 1_000))}`}
        </time>
      </div>
      {entry.comment !== null && entry.comment !== "" && (
        <div className="said">
          <Markdown text={entry.comment} />
        </div>
      )}
      {payload.length > 0 && (
        <dl className="definition payload">
          {payload.map(([name, value]) => (
            <div key={name} className="pair">
              <dt>{n.field(name)}</dt>
              <dd>
                {isChange(value) ? (
                  <span className="change">
                    <del>
                      <DataValue name={name} value={value.old} />
                    </del>
                    <Icon name="arrow" />
                    <ins>
                      <DataValue name={name} value={value.new} />
                    </ins>
                  </span>
                ) : (
                  <DataValue name={name} value={value} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** Whether a value of a payload is a field's old and new value. */
function isChange(value: unknown): value is { old: unknown; new: unknown } {
  return typeof value === "object" && value !== null && "old" in value && "new" in value;
}
