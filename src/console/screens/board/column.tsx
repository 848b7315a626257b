import { useEffect, useMemo, useRef } from "react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { Lifecycle } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import type { ListQuery } from "../../data/list-query.ts";
import { Skeleton, ErrorState } from "../../design/states.tsx";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { useRefusalTexts } from "../../tasks/use-refusal-texts.ts";
import { rememberList } from "../../tasks/last-list.ts";
import { useI18n } from "../../texts/i18n.tsx";
import type { Drag } from "./drag.ts";
import { TaskCard } from "./task-card.tsx";
import type { CardActions } from "./task-card.tsx";

const CARD_PX = 139;
const PAGE = 100;
/** The next page is requested when fewer cards than this are left below. */
const PREFETCH_DISTANCE = 25;

type Props = {
  lifecycle: Lifecycle;
  status: Lifecycle["statuses"][number];
  filters: Omit<ListQuery, "lifecycle">;
  /** Number of tasks by the overview; shown while more tasks can be loaded. */
  count: number | null;
  drag: Drag | null;
  actions: CardActions;
};

/** Tasks of one status; renders only visible cards, and loads more while scrolling. */
export function Column({ lifecycle, status, filters, count, drag, actions }: Props) {
  const { t, f } = useI18n();
  const label = useStatusLabel(lifecycle.name);
  const scroller = useRef<HTMLDivElement>(null);
  const query: ListQuery = {
    lifecycle: lifecycle.name,
    ...filters,
    status: [status.name],
    limit: PAGE,
    ...(status.final ? { order: "desc" as const } : {}),
  };
  const list = useInfiniteQuery(queries.list(query));
  const tasks = useMemo(() => list.data?.pages.flatMap((page) => page.tasks) ?? [], [list.data]);
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_PX,
    getItemKey: (index) => tasks[index]?.id ?? index,
    overscan: 5,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= tasks.length - PREFETCH_DISTANCE) void fetchNextPage();
  }, [last, tasks.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  // The number is that of the cards. Only of tasks that are not loaded yet does the overview know more.
  const shown = hasNextPage ? Math.max(count ?? 0, tasks.length) : tasks.length;
  return (
    <section
      className="column"
      data-column={status.name}
      data-drop={dropState(drag, status.name)}
      aria-label={status.name}
      onPointerDownCapture={() => {
        rememberList(tasks);
      }}
      onFocusCapture={() => {
        rememberList(tasks);
      }}
    >
      <header data-tone={toneOf(lifecycle, status.name)} title={status.meaning ?? status.name}>
        <i />
        <h2 className="cut">{label(status.name)}</h2>
        <span className="badge">
          {list.isPending ? "…" : f.number(shown)}
          {count === null && hasNextPage ? "+" : ""}
        </span>
      </header>
      <DropNote lifecycle={lifecycle.name} drag={drag} status={status.name} />
      <div className="cards" ref={scroller} tabIndex={-1}>
        {list.isPending && <Skeleton lines={3} height={96} />}
        {list.error && tasks.length === 0 && (
          <ErrorState compact error={list.error} onRetry={() => void list.refetch()} />
        )}
        {!list.isPending && !list.error && tasks.length === 0 && (
          <p className="faint small empty">{t.board.emptyColumn}</p>
        )}
        <div className="runway" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const task = tasks[index];
            return (
              task && (
                <div key={key} className="slot" style={{ transform: `translateY(${start}px)` }}>
                  <TaskCard task={task} actions={actions} dragged={drag?.task.id === task.id} />
                </div>
              )
            );
          })}
        </div>
        {isFetchingNextPage && <p className="faint small empty">{t.board.loadMore}</p>}
      </div>
    </section>
  );
}

type DropState = "home" | "asking" | "yes" | "no" | undefined;

function dropState(drag: Drag | null, status: string): DropState {
  if (!drag) return undefined;
  if (drag.task.status === status) return "home";
  if (drag.targets === null) return "asking";
  return (drag.targets.find((target) => target.status === status)?.actions.length ?? 0) > 0 ? "yes" : "no";
}

/** While a card is dragged: the actions that move it to this column, or the reasons why it cannot be moved. */
function DropNote({ lifecycle, drag, status }: { lifecycle: string; drag: Drag | null; status: string }) {
  const { t, n } = useI18n();
  const refusalTexts = useRefusalTexts(lifecycle);
  const state = dropState(drag, status);
  if (!drag || state === undefined || state === "home") return null;
  if (state === "asking") return <p className="drop-note">{t.board.checking}</p>;
  const target = drag.targets?.find((one) => one.status === status);
  if (!target) return null;
  if (state === "yes")
    return <p className="drop-note">{t.board.dropHere(target.actions.map(n.action).join(" / "))}</p>;
  return (
    <ul className="drop-note">
      {refusalTexts(drag.task.status, target).map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}
