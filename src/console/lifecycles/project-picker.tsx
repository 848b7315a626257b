import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useSearch } from "../router.tsx";
import { useWords } from "../texts/words.tsx";

/** Which project is looked at; it stands in the address. Where there is but one, there is nothing to choose. */
export function ProjectPicker() {
  const { t } = useWords();
  const [search, change] = useSearch();
  const { data: projects = [] } = useQuery(queries.projects());
  const chosen = search.get("project") ?? "";
  if (projects.length < 2 && chosen === "") return null;
  return (
    <select
      className="input small project-picker"
      aria-label={t.filters.project}
      value={chosen}
      onChange={(event) => {
        change({ project: event.target.value });
      }}
    >
      <option value="">{t.filters.anyProject}</option>
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
