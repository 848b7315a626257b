import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useI18n } from "../texts/i18n.tsx";

type Props = {
  /** Id for a separate `<label>`; without it the select gets an `aria-label`. */
  id?: string;
  value: string;
  onChange: (project: string) => void;
  /** Adds the option "All projects", with the value "". */
  any?: boolean;
  className?: string;
};

/** Select of all projects. */
export function ProjectSelect({ id, value, onChange, any = false, className = "input" }: Props) {
  const { t } = useI18n();
  const { data: projects = [] } = useQuery(queries.projects());
  // The address may name a deleted project: show its id, not another project.
  const isKnown = (value === "" && any) || projects.some((project) => project.id === value);
  return (
    <select
      {...(id === undefined ? { "aria-label": t.filters.project } : { id })}
      className={className}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      {any && <option value="">{t.filters.anyProject}</option>}
      {!isKnown && <option value={value}>{value}</option>}
      {projects.map((project) => (
        <option key={project.id} value={project.id}>
          {project.name}
        </option>
      ))}
    </select>
  );
}
