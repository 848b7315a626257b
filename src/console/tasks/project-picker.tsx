import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useSearch } from "../router.tsx";
import { ProjectSelect } from "./project-select.tsx";
import "../design/project-picker.css";

/** The id of the project that every org has. */
export const MAIN_PROJECT = "main";

/** Selects the project to show and stores it in the address. Hidden if there is only one. */
export function ProjectPicker({
  one = false,
}: {
  /** Always selects one project; default `main`. */ one?: boolean;
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
