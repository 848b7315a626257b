import { useMemo, useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Lifecycle } from "../../data/client.ts";
import { queries, useMe } from "../../data/queries.ts";
import type { ListQuery, Sort } from "../../data/list-query.ts";
import { Skeleton, EmptyState, ErrorState } from "../../design/states.tsx";
import { useStatusLabel } from "../../design/status.tsx";
import { useSearch } from "../../router.tsx";
import { Filters, useFilters } from "../../tasks/filters.tsx";
import { LifecycleHead } from "../../tasks/lifecycle-head.tsx";
import { actionsFor } from "../../tasks/role-permissions.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { BulkResults } from "./bulk-results.tsx";
import type { MoveResult } from "./move-all.ts";
import { TaskRows } from "./task-rows.tsx";
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

function TaskList({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t, f } = useI18n();
  const { any, ...filters } = useFilters();
  const [search] = useSearch();
  const sort = SORTS.find((one) => one === search.get("sort")) ?? "created";
  const order = search.get("order") === "asc" ? ("asc" as const) : ("desc" as const);
  const status = search.get("status");
  const isFiltered = any || status !== null;
  const query: ListQuery = {
    lifecycle: lifecycle.name,
    ...filters,
    ...(status ? { status: [status] } : {}),
    sort,
    order,
    limit: PAGE,
  };
  const list = useInfiniteQuery(queries.list(query));
  const tasks = useMemo(() => list.data?.pages.flatMap((page) => page.tasks) ?? [], [list.data]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = tasks.filter(({ id }) => selected.has(id));
  const [results, setResults] = useState<readonly MoveResult[] | null>(null);
  const selectable = actionsFor(lifecycle, useMe().roles).length > 0;
  const count = f.number(tasks.length);
  const clear = () => {
    setSelected(new Set());
  };
  return (
    <>
      <div className="row wrap">
        <StatusFilter lifecycle={lifecycle} />
        <Filters />
        <span className="push faint small num">
          {list.hasNextPage ? t.table.loaded(count) : t.table.allLoaded(count)}
        </span>
      </div>
      {chosen.length > 0 && (
        <BulkBar lifecycle={lifecycle} tasks={chosen} onClear={clear} onResults={setResults} />
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
      {list.isPending && <Skeleton lines={8} height={32} />}
      {list.error && tasks.length === 0 && (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data && tasks.length === 0 && (
        <EmptyState
          icon={isFiltered ? "search" : "board"}
          title={isFiltered ? t.table.noMatch : t.board.emptyTitle}
          hint={isFiltered ? t.table.noMatchHint : t.board.emptyHint}
        />
      )}
      {tasks.length > 0 && (
        <TaskRows
          tasks={tasks}
          sort={sort}
          order={order}
          selected={selected}
          onSelect={selectable ? setSelected : null}
          onNearEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

function StatusFilter({ lifecycle }: { lifecycle: Lifecycle }) {
  const { t } = useI18n();
  const [search, change] = useSearch();
  const label = useStatusLabel(lifecycle.name);
  return (
    <div className="filters">
      <select
        className="input small"
        aria-label={t.filters.status}
        value={search.get("status") ?? ""}
        onChange={(event) => {
          change({ status: event.target.value });
        }}
      >
        <option value="">{t.filters.anyStatus}</option>
        {lifecycle.statuses.map(({ name }) => (
          <option key={name} value={name}>
            {label(name)}
          </option>
        ))}
      </select>
    </div>
  );
}
