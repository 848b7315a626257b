import { useRef } from "react";
import type { KeyboardEvent, PointerEvent } from "react";
import { Icon } from "../../design/icon.tsx";
import type { Sort } from "../../data/list-query.ts";
import { useSearch } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { MAX_WIDTH_PX, MIN_WIDTH_PX } from "./columns.ts";
import type { Column, ShownColumns } from "./columns.ts";
import { tableTexts } from "./table-texts.ts";

const KEY_STEP_PX = 16;

/** The heading of a column: a click sorts by it, and its right edge changes its width. */
export function Heading({
  column,
  shown,
  sort,
  order,
}: {
  column: Column;
  shown: ShownColumns;
  sort: Sort;
  order: "asc" | "desc";
}) {
  const here = column.sort === sort;
  const ariaSort = here ? (order === "asc" ? "ascending" : "descending") : "none";
  return (
    <span role="columnheader" aria-label={column.title} {...(column.sort ? { "aria-sort": ariaSort } : {})}>
      {column.sort ? (
        <Sorter title={column.title} sort={column.sort} here={here} order={order} />
      ) : (
        <span className="cut">{column.title}</span>
      )}
      <Edge column={column} shown={shown} />
    </span>
  );
}

function Sorter({
  title,
  sort,
  here,
  order,
}: {
  title: string;
  sort: Sort;
  here: boolean;
  order: "asc" | "desc";
}) {
  const { t } = useI18n();
  const [, change] = useSearch();
  return (
    <button
      type="button"
      className="sorter"
      data-here={here}
      title={t.table.sortedBy(title)}
      onClick={() => {
        change({ sort, order: here && order === "desc" ? "asc" : "desc" });
      }}
    >
      <span className="cut">{title}</span>
      {here && (
        <span className="direction" data-order={order}>
          <Icon name="down" />
        </span>
      )}
    </button>
  );
}

/** Changes the width of a column by dragging or by arrow keys; a double click gives it back its own. */
function Edge({ column, shown }: { column: Column; shown: ShownColumns }) {
  const t = useTexts(tableTexts);
  const edge = useRef<HTMLSpanElement>(null);
  const widthNow = () => edge.current?.parentElement?.offsetWidth ?? column.width;
  const drag = (event: PointerEvent<HTMLSpanElement>) => {
    event.preventDefault();
    const { currentTarget: target, pointerId, clientX } = event;
    const width = widthNow();
    const move = (moved: globalThis.PointerEvent) => {
      shown.resize(column.id, width + moved.clientX - clientX);
    };
    target.setPointerCapture(pointerId);
    target.addEventListener("pointermove", move);
    target.addEventListener(
      "lostpointercapture",
      () => {
        target.removeEventListener("pointermove", move);
      },
      { once: true },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    shown.resize(column.id, widthNow() + by * KEY_STEP_PX);
  };
  return (
    <span
      ref={edge}
      className="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t.width(column.title)}
      aria-valuenow={shown.widthOf(column)}
      aria-valuemin={MIN_WIDTH_PX}
      aria-valuemax={MAX_WIDTH_PX}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={onKeyDown}
      onDoubleClick={() => {
        shown.resize(column.id, null);
      }}
    />
  );
}
