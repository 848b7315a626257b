import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useSearch } from "../router.tsx";
import { useWords } from "../texts/words.tsx";
import "./project-picker.css";

export const MAIN = "main";

/** Which project is looked at; it stands in the address. Where there is but one, there is nothing to choose. */
export function ProjectPicker({
  one = false,
}: {
  /** One is always chosen: the first unless told otherwise. */ one?: boolean;
}) {
  const { t } = useWords();
  const [search, change] = useSearch();
  const { data: projects = [] } = useQuery(queries.projects());
  const chosen = search.get("project") ?? (one ? MAIN : "");
  if (projects.length < 2 && (chosen === "" || chosen === MAIN)) return null;
  return (
    <select
      className="input small project-picker"
      aria-label={t.filters.project}
      value={chosen}
      onChange={(event) => {
        change({ project: one && event.target.value === MAIN ? null : event.target.value });
      }}
    >
      {!one && <option value="">{t.filters.anyProject}</option>}
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
