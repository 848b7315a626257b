import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Insights } from "../../data/api-types.ts";
import { useMemberNames } from "../../data/members.tsx";
import { queries } from "../../data/queries.ts";
import { useSearch } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { DurationCells, DurationHeads } from "./duration-table.tsx";
import { insightTexts } from "./texts.ts";

/** Figures by project; a project leads to its own figures. */
export function ByProject({ figures }: { figures: Insights }) {
  const texts = useTexts(insightTexts);
  const [, change] = useSearch();
  const { data: projects = [] } = useQuery(queries.projects());
  const rows = figures.projects.map(({ project_id, ...row }) => ({
    ...row,
    id: project_id,
    name: projects.find(({ id }) => id === project_id)?.name ?? project_id,
  }));
  return (
    <Parts
      title={texts.projects}
      head={texts.project}
      rows={rows}
      onChoose={(project) => {
        change({ project });
      }}
    />
  );
}

/** Figures by assignee; a person leads to its own figures. */
export function ByPerson({ figures }: { figures: Insights }) {
  const texts = useTexts(insightTexts);
  const [, change] = useSearch();
  const nameOf = useMemberNames();
  const rows = figures.people.map(({ member_id, ...row }) => ({
    ...row,
    id: member_id,
    name: nameOf(member_id),
  }));
  return (
    <Parts
      title={texts.people}
      head={texts.person}
      rows={rows}
      onChoose={(member) => {
        change({ member });
      }}
    />
  );
}

type Row = Pick<
  Insights["people"][number],
  "open" | "finished" | "p50_seconds" | "p85_seconds" | "p95_seconds"
> & {
  id: string;
  name: string;
};

function Parts({
  title,
  head,
  rows,
  onChoose,
}: {
  title: string;
  head: string;
  rows: readonly Row[];
  onChoose: (id: string) => void;
}): ReactNode {
  const { f } = useI18n();
  const texts = useTexts(insightTexts);
  return (
    <section className="card" aria-label={title}>
      <header className="head">
        <h2>{title}</h2>
      </header>
      <div className="body">
        {rows.length === 0 ? (
          <p className="faint small chart-empty">{texts.none}</p>
        ) : (
          <div className="scroll-x" tabIndex={0} role="group" aria-label={title}>
            <table className="insight-table">
              <thead>
                <tr>
                  <th scope="col">{head}</th>
                  <th scope="col" className="num">
                    {texts.open}
                  </th>
                  <th scope="col" className="num">
                    {texts.finished}
                  </th>
                  <DurationHeads />
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <td>
                      <button
                        type="button"
                        className="link"
                        onClick={() => {
                          onChoose(row.id);
                        }}
                      >
                        <bdi>{row.name}</bdi>
                      </button>
                    </td>
                    <td className="num">{f.number(row.open)}</td>
                    <td className="num">{f.number(row.finished)}</td>
                    <DurationCells of={row} />
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </section>
  );
}
