import { useQuery } from "@tanstack/react-query";
import { queries } from "../../data/queries.ts";
import type { ListQuery } from "../../data/list-query.ts";
import { useSearch } from "../../router.tsx";
import { usePageTitle } from "../../shell/page-title.ts";
import { Filters, useFilters } from "../../tasks/filters.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { useColumns, useShownColumns } from "./columns.ts";
import { ListTools } from "./list-tools.tsx";
import { NoRows, useOrder, useTaskList } from "./table.tsx";
import { tableTexts } from "./table-texts.ts";
import { TaskRows } from "./task-rows.tsx";

const NOTHING: ReadonlySet<string> = new Set();

/** Tasks of all lifecycles: what a member has, or what needs attention. */
export function AllTasks() {
  const { t } = useI18n();
  const own = useTexts(tableTexts);
  usePageTitle(own.allTasks);
  const [search, change] = useSearch();
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const lifecycle = search.get("lifecycle") ?? "";
  // A member's tasks include those under a lease.
  const { any, assigned_to, ...filters } = useFilters();
  const { sort, order } = useOrder();
  const query: ListQuery = {
    ...filters,
    ...(assigned_to === undefined ? {} : { held_by: assigned_to }),
    ...(lifecycle === "" ? {} : { lifecycle }),
    sort,
    order,
  };
  const { list, tasks, total, loadMore } = useTaskList(query);
  const all = useColumns(null);
  const shown = useShownColumns("all", all);
  return (
    <>
      <header className="page-head">
        <div className="stack tight">
          <h1>{own.allTasks}</h1>
          <p className="soft small">{own.allTasksHint}</p>
        </div>
      </header>
      <div className="row wrap">
        <div className="filters">
          <select
            className="input small"
            aria-label={own.lifecycle}
            value={lifecycle}
            onChange={(event) => {
              change({ lifecycle: event.target.value });
            }}
          >
            <option value="">{own.anyLifecycle}</option>
            {lifecycles.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <Filters anyOwner={own.anyHolder} />
        <ListTools
          name={t.palette.tasks.toLowerCase()}
          query={query}
          all={all}
          shown={shown}
          loaded={tasks.length}
          total={total}
          selected={[]}
        />
      </div>
      <NoRows list={list} tasks={tasks} isFiltered={any || lifecycle !== ""} />
      {tasks.length > 0 && (
        <TaskRows
          tasks={tasks}
          shown={shown}
          sort={sort}
          order={order}
          selected={NOTHING}
          onSelect={null}
          onNearEnd={loadMore}
        />
      )}
    </>
  );
}
