import type { Task } from "../data/client.ts";
import { labelsOf } from "../data/labels-of.ts";
import { useSearch } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";

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
