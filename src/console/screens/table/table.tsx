import { useMemo, useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Lifecycle, Task } from "../../data/client.ts";
import { queries, useMe } from "../../data/queries.ts";
import type { ListQuery, Sort } from "../../data/list-query.ts";
import { Skeleton, EmptyState, ErrorState } from "../../design/states.tsx";
import { useSearch } from "../../router.tsx";
import { Filters, useFilters } from "../../tasks/filters.tsx";
import { LifecycleHead } from "../../tasks/lifecycle-head.tsx";
import { actionsFor } from "../../tasks/role-permissions.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { BulkResults } from "./bulk-results.tsx";
import { useColumns, useShownColumns } from "./columns.ts";
import { ListTools, useTotal } from "./list-tools.tsx";
import type { MoveResult } from "./move-all.ts";
import { StatusFilter, useStatuses } from "./status-filter.tsx";
import { TaskRows } from "./task-rows.tsx";
import { useSelection } from "./use-selection.ts";
import "./table.css";

const SORTS: readonly Sort[] = ["created", "updated", "entered", "due", "priority"];
const PAGE = 100;

/** A lifecycle's tasks in rows, with search, sorting and bulk actions. */
export function Table({ lifecycle: name = "" }: { lifecycle?: string }) {
  const { data: lifecycle, error, refetch } = useQuery(queries.lifecycle(name));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <LifecycleHead lifecycle={name} />
      {lifecycle ? <TaskList lifecycle={lifecycle} /> : <Skeleton lines={6} height={30} />}
    </>
  );
}

/** The order in the address, as parameters of a list query. */
export function useOrder(): { sort: Sort; order: "asc" | "desc" } {
  const [search] = useSearch();
  return {
    sort: SORTS.find((one) => one === search.get("sort")) ?? "created",
    order: search.get("order") === "asc" ? "asc" : "desc",
  };
}

/** The loaded tasks of a list, and the empty and error states in their place. */
export function useTaskList(query: ListQuery) {
  const list = useInfiniteQuery(queries.list({ ...query, limit: PAGE }));
  const tasks = useMemo(() => list.data?.pages.flatMap((page) => page.tasks) ?? [], [list.data]);
  const total = useTotal(query, list, tasks.length);
  const loadMore = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  return { list, tasks, total, loadMore };
}

/** Takes the place of rows: a placeholder, an error, or a note that there are none. */
export function NoRows({
  list,
  tasks,
  isFiltered,
}: {
  list: ReturnType<typeof useTaskList>["list"];
  tasks: readonly Task[];
  isFiltered: boolean;
}) {
  const { t } = useI18n();
  if (list.isPending) return <Skeleton lines={8} height={32} />;
  if (tasks.length > 0) return null;
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <EmptyState
      icon={isFiltered ? "search" : "board"}
      title={isFiltered ? t.table.noMatch : t.board.emptyTitle}
      hint={isFiltered ? t.table.noMatchHint : t.board.emptyHint}
    />
  );
}

function TaskList({ lifecycle }: { lifecycle: Lifecycle }) {
  const { any, ...filters } = useFilters();
  const statuses = useStatuses();
  const { sort, order } = useOrder();
  const query: ListQuery = {
    lifecycle: lifecycle.name,
    ...filters,
    ...(statuses ? { status: statuses } : {}),
    sort,
    order,
  };
  const { list, tasks, total, loadMore } = useTaskList(query);
  const all = useColumns(lifecycle);
  const shown = useShownColumns(lifecycle.name, all);
  const selection = useSelection(query, tasks);
  const [results, setResults] = useState<readonly MoveResult[] | null>(null);
  const selectable = actionsFor(lifecycle, useMe().roles).length > 0;
  const clear = () => {
    selection.select(new Set());
  };
  const isAllLoaded = tasks.length > 0 && tasks.every(({ id }) => selection.ids.has(id));
  const isMore = isAllLoaded && total !== undefined && selection.tasks.length < total;
  return (
    <>
      <div className="row wrap">
        <div className="filters">
          <StatusFilter lifecycle={lifecycle} />
        </div>
        <Filters />
        <ListTools
          name={lifecycle.name}
          query={query}
          all={all}
          shown={shown}
          loaded={tasks.length}
          total={total}
          selected={selection.tasks}
        />
      </div>
      {selection.tasks.length > 0 && (
        <BulkBar
          lifecycle={lifecycle}
          tasks={selection.tasks}
          total={isMore ? total : null}
          onSelectMatching={selection.selectMatching}
          onClear={clear}
          onResults={setResults}
        />
      )}
      {results && (
        <BulkResults
          lifecycle={lifecycle.name}
          results={results}
          onClose={() => {
            setResults(null);
            clear();
          }}
        />
      )}
      <NoRows list={list} tasks={tasks} isFiltered={any || statuses !== null} />
      {tasks.length > 0 && (
        <TaskRows
          tasks={tasks}
          shown={shown}
          sort={sort}
          order={order}
          selected={selection.ids}
          onSelect={selectable ? selection.select : null}
          onNearEnd={loadMore}
        />
      )}
    </>
  );
}
