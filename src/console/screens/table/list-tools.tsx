import { useQuery } from "@tanstack/react-query";
import type { Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import type { ListQuery } from "../../data/list-query.ts";
import { Button } from "../../design/button.tsx";
import { toast } from "../../design/toasts.tsx";
import { useToastOnError } from "../../design/use-toast-on-error.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { ColumnMenu } from "./column-menu.tsx";
import type { Column, ShownColumns } from "./columns.ts";
import { csvOf, downloadCsv } from "./csv.ts";
import { loadMatching } from "./load-matching.ts";
import { tableTexts } from "./table-texts.ts";

/** Maximum rows of a CSV file: it is made in the browser. */
const MAX_CSV_ROWS = 10_000;

/** The number of tasks of a list: those that are loaded if these are all, else the server's count; undefined while it counts. */
export function useTotal(
  query: ListQuery,
  list: { hasNextPage: boolean },
  loaded: number,
): number | undefined {
  const { data } = useQuery({ ...queries.total(query), enabled: list.hasNextPage });
  return list.hasNextPage ? data : loaded;
}

/** Beside the filters: the number of tasks, the columns, and the download. */
export function ListTools({
  name,
  query,
  all,
  shown,
  loaded,
  total,
  selected,
}: {
  /** The name of the file. */
  name: string;
  query: ListQuery;
  all: readonly Column[];
  shown: ShownColumns;
  loaded: number;
  total: number | undefined;
  /** If some tasks are selected, only these are downloaded. */
  selected: readonly Task[];
}) {
  const { t, f } = useI18n();
  const own = useTexts(tableTexts);
  const [busy, run] = useToastOnError();
  const download = () =>
    run(async () => {
      const tasks = selected.length > 0 ? selected : await loadMatching(query, MAX_CSV_ROWS);
      downloadCsv(`${name}.csv`, csvOf(shown.columns, tasks));
      if (selected.length === 0 && tasks.length === MAX_CSV_ROWS && (total ?? 0) > MAX_CSV_ROWS)
        toast(own.downloadCut(f.number(MAX_CSV_ROWS)), "bad");
    });
  const count = f.number(loaded);
  const amount =
    total === undefined
      ? t.table.loaded(count)
      : total > loaded
        ? own.ofTotal(count, f.number(total))
        : t.table.allLoaded(count);
  return (
    <span className="push row wrap list-tools">
      <span className="faint small num">{amount}</span>
      <ColumnMenu all={all} shown={shown} />
      <Button small disabled={busy || loaded === 0} onClick={() => void download()}>
        {busy ? own.downloading : own.download}
      </Button>
    </span>
  );
}
