import { useMemo, useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { FeedEvent } from "../../../client/index.ts";
import { live, useRecentEvents } from "../../data/live.ts";
import { useMemberNames } from "../../data/members.tsx";
import { queries } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { Person } from "../../design/person.tsx";
import { EmptyState } from "../../design/states.tsx";
import { StatusChip } from "../../design/status.tsx";
import { useSearch } from "../../router.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { ProjectSelect } from "../../tasks/project-select.tsx";
import { TaskLink } from "../../tasks/task-link.tsx";
import { useNames, useI18n } from "../../texts/i18n.tsx";
import "../../tasks/filters.css";
import "./events.css";

/** On a phone an event takes three lines. */
const NARROW = window.matchMedia("(max-width: 720px)");
const ROW_PX = { wide: 40, narrow: 92 };

/** Live list of the org's events; can be paused. */
export function Events() {
  const { t } = useI18n();
  usePageTitle(t.events.title);
  const events = useRecentEvents();
  const [frozen, setFrozen] = useState<readonly FeedEvent[] | null>(null);
  const waiting = frozen
    ? events.filter(({ position }) => position > (frozen.at(-1)?.position ?? -1)).length
    : 0;
  const shown = useFiltered(frozen ?? events);
  return (
    <>
      <header className="page-head">
        <div className="stack tight">
          <h1>{t.events.title}</h1>
          <p className="soft small">{t.events.hint}</p>
        </div>
        <span className="push" />
        <Button
          icon="close"
          look="quiet"
          onClick={() => {
            setFrozen(null);
            live.clear();
          }}
        >
          {t.common.clear}
        </Button>
        <Button
          icon={frozen ? "play" : "pause"}
          {...(frozen ? { look: "main" as const } : {})}
          onClick={() => {
            setFrozen(frozen ? null : events);
          }}
        >
          {frozen ? t.events.resume : t.events.pause}
        </Button>
      </header>
      <EventFilters />
      {frozen && (
        <p className="note" data-tone="warn" role="status">
          <Icon name="pause" />
          {t.events.paused(waiting)}
        </p>
      )}
      {(frozen ?? events).length === 0 ? (
        <EmptyState icon="events" title={t.events.waiting} hint={t.events.waitingHint} />
      ) : shown.length === 0 ? (
        <EmptyState icon="search" title={t.events.noMatch} />
      ) : (
        <Tail events={shown} />
      )}
    </>
  );
}

function useFiltered(events: readonly FeedEvent[]): readonly FeedEvent[] {
  const [search] = useSearch();
  const lifecycle = search.get("lifecycle");
  const project = search.get("project");
  const text = (search.get("q") ?? "").toLowerCase();
  const nameOf = useMemberNames();
  const namesOf = useNames();
  return useMemo(
    () =>
      events.filter(
        (event) =>
          (!lifecycle || event.lifecycle === lifecycle) &&
          (!project || event.project_id === project) &&
          (text === "" ||
            [
              event.action,
              namesOf(event.lifecycle).action(event.action),
              event.type,
              event.to_status,
              event.actor_id,
              nameOf(event.actor_id),
              event.task_id,
            ]
              .join(" ")
              .toLowerCase()
              .includes(text)),
      ),
    [events, lifecycle, project, text, namesOf],
  );
}

function EventFilters() {
  const { t } = useI18n();
  const [search, change] = useSearch();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  return (
    <div className="filters" role="search">
      <input
        className="input small wide-words"
        type="search"
        aria-label={t.events.filter}
        placeholder={t.events.filter}
        value={search.get("q") ?? ""}
        onChange={(event) => {
          change({ q: event.target.value });
        }}
      />
      <select
        className="input small"
        aria-label={t.events.lifecycle}
        value={search.get("lifecycle") ?? ""}
        onChange={(event) => {
          change({ lifecycle: event.target.value });
        }}
      >
        <option value="">{t.events.anyLifecycle}</option>
        {lifecycles.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <ProjectSelect
        className="input small"
        any
        value={search.get("project") ?? ""}
        onChange={(project) => {
          change({ project });
        }}
      />
    </div>
  );
}

/** Lists events, newest first. */
function Tail({ events }: { events: readonly FeedEvent[] }) {
  const { t, f } = useI18n();
  const namesOf = useNames();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (NARROW.matches ? ROW_PX.narrow : ROW_PX.wide),
    overscan: 10,
  });
  return (
    <div
      className="card tail"
      ref={scroller}
      tabIndex={0}
      role="log"
      aria-label={t.events.title}
      aria-live="off"
    >
      <ol className="runway" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const event = events[events.length - 1 - index];
          return (
            event && (
              <li key={event.position} className="event" style={{ transform: `translateY(${start}px)` }}>
                <time className="faint num" dateTime={event.created_at} title={f.moment(event.created_at)}>
                  {f.time(event.created_at)}
                </time>
                <span className="faint cut">{event.lifecycle}</span>
                <b className="cut">{namesOf(event.lifecycle).action(event.action)}</b>
                <span className="row">
                  {event.from_status !== null && event.from_status !== event.to_status && (
                    <>
                      <StatusChip lifecycle={event.lifecycle} status={event.from_status} />
                      <Icon name="arrow" />
                    </>
                  )}
                  {event.to_status !== null && (
                    <StatusChip lifecycle={event.lifecycle} status={event.to_status} />
                  )}
                </span>
                <TaskLink id={event.task_id} />
                <span className="small">
                  <Person id={event.actor_id} absent={t.common.system} />
                </span>
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}
