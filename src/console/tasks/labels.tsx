import type { Task } from "../data/client.ts";
import { useSearch } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";

/** The labels of a task: the field `labels` of its data, if it is a list of texts. */
function labelsOf({ data }: Pick<Task, "data">): string[] {
  const { labels } = data;
  return Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [];
}

/** Shows the labels of a task on a board or table; a click filters by the label. */
export function Labels({ task }: { task: Task }) {
  const { t } = useI18n();
  const [, change] = useSearch();
  return labelsOf(task).map((label) => (
    <button
      key={label}
      type="button"
      className="tag label-tag"
      tabIndex={-1}
      title={t.filters.byLabel(label)}
      onClick={() => {
        change({ label });
      }}
    >
      {label}
    </button>
  ));
}
