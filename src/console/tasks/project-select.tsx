import { useQuery } from "@tanstack/react-query";
import { queries } from "../data/queries.ts";
import { useI18n } from "../texts/i18n.tsx";

type Props = {
  /** Of the label that names it; without one it has its name with it. */
  id?: string;
  value: string;
  onChange: (project: string) => void;
  /** "" is offered too: every project. */
  any?: boolean;
  className?: string;
};

/** One of the projects that there are. */
export function ProjectSelect({ id, value, onChange, any = false, className = "input" }: Props) {
  const { t } = useI18n();
  const { data: projects = [] } = useQuery(queries.projects());
  // An address may name one that is gone: it is shown as chosen, and not as another.
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
