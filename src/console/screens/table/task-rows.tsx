import { useEffect, useRef } from "react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { addresses } from "../../addresses.ts";
import type { Task } from "../../data/client.ts";
import type { Sort } from "../../data/list-query.ts";
import { useNow } from "../../design/clock.ts";
import { Icon } from "../../design/icon.tsx";
import { Holder } from "../../tasks/holder.tsx";
import { StatusChip } from "../../design/status.tsx";
import { Link, useSearch } from "../../router.tsx";
import { Deadline } from "../../tasks/deadline.tsx";
import { useI18n } from "../../texts/i18n.tsx";

const ROW_PX = 42;
const PREFETCH_DISTANCE = 30;

type Props = {
  tasks: readonly Task[];
  sort: Sort;
  order: "asc" | "desc";
  selected: ReadonlySet<string>;
  /** null if the member may not act on the tasks. */
  onSelect: ((selected: ReadonlySet<string>) => void) | null;
  onNearEnd: () => void;
};

/** Table rows; renders only visible ones. */
export function TaskRows({ tasks, sort, order, selected, onSelect, onNearEnd }: Props) {
  const { t } = useI18n();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => tasks[index]?.id ?? index,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= tasks.length - PREFETCH_DISTANCE) onNearEnd();
  }, [last, tasks.length]);
  const all = tasks.length > 0 && tasks.every(({ id }) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect?.(next);
  };
  return (
    <div
      className="card rows"
      ref={scroller}
      role="table"
      aria-rowcount={tasks.length}
      tabIndex={0}
      aria-label={t.shell.table}
    >
      <div className="line heading" role="row">
        <span role="columnheader">
          {onSelect && (
            <input
              type="checkbox"
              aria-label={t.table.selectAll}
              checked={all}
              onChange={() => {
                onSelect(all ? new Set() : new Set(tasks.map(({ id }) => id)));
              }}
            />
          )}
        </span>
        <span role="columnheader">{t.table.title}</span>
        <span role="columnheader">{t.table.status}</span>
        <span role="columnheader">{t.table.owner}</span>
        <Heading by="priority" title={t.table.priority} sort={sort} order={order} />
        <Heading by="entered" title={t.table.inStatus} sort={sort} order={order} />
        <Heading by="due" title={t.table.due} sort={sort} order={order} />
        <Heading by="updated" title={t.table.updated} sort={sort} order={order} />
        <Heading by="created" title={t.table.created} sort={sort} order={order} />
      </div>
      <div className="runway" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const task = tasks[index];
          return (
            task && (
              <div
                key={key}
                className="line"
                role="row"
                aria-rowindex={index + 2}
                data-selected={selected.has(task.id)}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Row task={task} selected={selected.has(task.id)} onToggle={onSelect && toggle} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Heading({ by, title, sort, order }: { by: Sort; title: string; sort: Sort; order: "asc" | "desc" }) {
  const { t } = useI18n();
  const [, change] = useSearch();
  const here = by === sort;
  return (
    <span role="columnheader" aria-sort={here ? (order === "asc" ? "ascending" : "descending") : "none"}>
      <button
        type="button"
        className="sorter"
        data-here={here}
        title={t.table.sortedBy(title)}
        onClick={() => {
          change({ sort: by, order: here && order === "desc" ? "asc" : "desc" });
        }}
      >
        {title}
        {here && (
          <span className="direction" data-order={order}>
            <Icon name="down" />
          </span>
        )}
      </button>
    </span>
  );
}

function Row({
  task,
  selected,
  onToggle,
}: {
  task: Task;
  selected: boolean;
  onToggle: ((id: string) => void) | null;
}) {
  const { t, f } = useI18n();
  const now = useNow(10);
  return (
    <>
      <span role="cell">
        {onToggle && (
          <input
            type="checkbox"
            aria-label={t.table.select(task.title)}
            checked={selected}
            onChange={() => {
              onToggle(task.id);
            }}
          />
        )}
      </span>
      <span role="cell" className="row">
        {task.needs_attention && (
          <span className="attention-mark" title={t.board.attention}>
            <Icon name="alert" />
          </span>
        )}
        <Link href={addresses.task(task.id)} className="cut">
          {task.title}
        </Link>
        {task.open_blockers > 0 && (
          <span className="faint" title={t.board.blockers(task.open_blockers)}>
            <Icon name="link" />
          </span>
        )}
      </span>
      <span role="cell">
        <StatusChip lifecycle={task.lifecycle} status={task.status} />
      </span>
      <span role="cell">
        <Holder task={task} />
      </span>
      <span role="cell" className="num">
        {task.priority}
      </span>
      <span role="cell" className="num faint">
        {f.span((now - Date.parse(task.entered_at)) / 1_000)}
      </span>
      <span role="cell">
        <Deadline short task={task} />
      </span>
      <span role="cell" className="num faint" title={f.moment(task.updated_at)}>
        {f.ago(task.updated_at, now)}
      </span>
      <span role="cell" className="num faint" title={f.moment(task.created_at)}>
        {f.ago(task.created_at, now)}
      </span>
    </>
  );
}
