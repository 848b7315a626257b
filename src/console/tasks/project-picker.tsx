import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useSearch } from "../router.tsx";
import { ProjectSelect } from "./project-select.tsx";
import "../design/project-picker.css";

export const MAIN_PROJECT = "main";

/** Which project is looked at; it stands in the address. Where there is but one, there is nothing to choose. */
export function ProjectPicker({
  one = false,
}: {
  /** One is always chosen: the first unless told otherwise. */ one?: boolean;
}) {
  const [search, change] = useSearch();
  const { data: projects = [] } = useQuery(queries.projects());
  const chosen = search.get("project") ?? (one ? MAIN_PROJECT : "");
  if (projects.length < 2 && (chosen === "" || chosen === MAIN_PROJECT)) return null;
  return (
    <ProjectSelect
      className="input small project-picker"
      any={!one}
      value={chosen}
      onChange={(project) => {
        change({ project: one && project === MAIN_PROJECT ? null : project });
      }}
    />
  );
}
