import { useEffect, useRef } from "react";
import type { CSSProperties } from "react";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { Task } from "../../data/client.ts";
import type { Sort } from "../../data/list-query.ts";
import { rememberList } from "../../tasks/last-list.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { Cell } from "./cell.tsx";
import { Heading } from "./headings.tsx";
import type { Column, ShownColumns } from "./columns.ts";

const ROW_PX = 42;
const PREFETCH_DISTANCE = 30;
const CHECKBOX_PX = 24;
const GAP_PX = 14;
const MIN_TITLE_PX = 200;

type Props = {
  tasks: readonly Task[];
  shown: ShownColumns;
  sort: Sort;
  order: "asc" | "desc";
  selected: ReadonlySet<string>;
  /** null if the member may not act on the tasks. */
  onSelect: ((selected: ReadonlySet<string>) => void) | null;
  onNearEnd: () => void;
};

/** Table rows; renders only visible ones. */
export function TaskRows({ tasks, shown, sort, order, selected, onSelect, onNearEnd }: Props) {
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
  useEffect(() => {
    rememberList(tasks);
  }, [tasks]);
  const all = tasks.length > 0 && tasks.every(({ id }) => selected.has(id));
  const toggle = useToggle(tasks, selected, onSelect);
  const { columns } = shown;
  return (
    <div
      className="card rows"
      ref={scroller}
      role="table"
      aria-rowcount={tasks.length}
      tabIndex={0}
      aria-label={t.shell.table}
      style={gridOf(shown)}
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
        {columns.map((column) => (
          <Heading key={column.id} column={column} shown={shown} sort={sort} order={order} />
        ))}
      </div>
      <div className="runway" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const task = tasks[index];
          return (
            task && (
              <Row
                key={key}
                task={task}
                index={index}
                start={start}
                columns={columns}
                selected={selected.has(task.id)}
                onToggle={onSelect && toggle}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function Row({
  task,
  index,
  start,
  columns,
  selected,
  onToggle,
}: {
  task: Task;
  index: number;
  start: number;
  columns: readonly Column[];
  selected: boolean;
  onToggle: ((index: number, isRange: boolean) => void) | null;
}) {
  const { t } = useI18n();
  return (
    <div
      className="line"
      role="row"
      aria-rowindex={index + 2}
      data-selected={selected}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="cell" className="choice">
        {onToggle && (
          <input
            type="checkbox"
            aria-label={t.table.select(task.title)}
            checked={selected}
            onChange={({ nativeEvent }) => {
              onToggle(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
            }}
          />
        )}
      </span>
      {columns.map(({ id }) => (
        <span key={id} role="cell">
          <Cell column={id} task={task} />
        </span>
      ))}
    </div>
  );
}

/** Selects or deselects a row; with Shift, all rows from the last one that was clicked. */
function useToggle(tasks: readonly Task[], selected: ReadonlySet<string>, onSelect: Props["onSelect"]) {
  const lastClicked = useRef<string | null>(null);
  return (index: number, isRange: boolean) => {
    const clicked = tasks[index];
    if (!clicked) return;
    const from = isRange ? tasks.findIndex(({ id }) => id === lastClicked.current) : -1;
    const start = from === -1 ? index : from;
    const range = tasks.slice(Math.min(start, index), Math.max(start, index) + 1);
    const next = new Set(selected);
    const isAdding = !selected.has(clicked.id);
    for (const { id } of range) {
      if (isAdding) next.add(id);
      else next.delete(id);
    }
    lastClicked.current = clicked.id;
    onSelect?.(next);
  };
}

/** The columns of the grid. The title takes the space that is left, unless the member gave it a width. */
function gridOf(shown: ShownColumns): CSSProperties {
  const widths = shown.columns.map((column) =>
    column.id === "title" && !shown.isResized("title")
      ? `minmax(${MIN_TITLE_PX}px, 1fr)`
      : `${shown.widthOf(column)}px`,
  );
  const least = shown.columns.reduce(
    (sum, column) =>
      sum +
      GAP_PX +
      (column.id === "title" && !shown.isResized("title") ? MIN_TITLE_PX : shown.widthOf(column)),
    CHECKBOX_PX + 24,
  );
  return {
    "--columns": `${CHECKBOX_PX}px ${widths.join(" ")}`,
    "--least-width": `${least}px`,
  } as CSSProperties;
}
