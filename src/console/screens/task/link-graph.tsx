import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../addresses.ts";
import type { Links, Task } from "../../data/client.ts";
import { queries } from "../../data/queries.ts";
import { StatusChip, toneOf } from "../../design/status.tsx";
import { FlowGraph } from "../../graph/flow-graph.tsx";
import type { GraphBox, GraphEdge } from "../../graph/flow-graph.tsx";
import { textWidth } from "../../graph/measure.ts";
import { navigate } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

const MAX_WIDTH_PX = 230;
const ROW_PX = 92;

/** Graph of a task: its blockers on the left, its dependents on the right. */
export function LinkGraph({ task }: { task: Task }) {
  const { t } = useI18n();
  const { data: links } = useQuery(queries.links(task.id));
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const boxes = useMemo(
    () =>
      (links?.tasks ?? []).map((linked): GraphBox => ({
        id: linked.id,
        width: Math.min(MAX_WIDTH_PX, Math.max(140, textWidth(linked.title) + 28)),
        height: 62,
        tone: toneOf(lifecycle, linked.status),
        strong: linked.id === task.id,
        content: (
          <>
            <b className="cut" title={linked.title}>
              {linked.title}
            </b>
            <StatusChip lifecycle={linked.lifecycle} status={linked.status} />
          </>
        ),
      })),
    [links, lifecycle, task.id],
  );
  const edges = useMemo(() => edgesOf(links), [links]);
  if (!links || (links.dependencies.length === 0 && links.hidden === 0)) return null;
  const rows = Math.max(1, countBlockers(links, task.id), countDependents(links, task.id));
  return (
    <section className="card">
      <header className="head">
        <h2>{t.task.links}</h2>
        {links.hidden > 0 && <span className="faint small">{t.task.hidden(links.hidden)}</span>}
      </header>
      {links.dependencies.length > 0 && (
        <FlowGraph
          label={t.task.links}
          boxes={boxes}
          edges={edges}
          rankGap={56}
          height={Math.min(420, 70 + rows * ROW_PX)}
          onOpen={(id) => {
            navigate(addresses.task(id));
          }}
        />
      )}
    </section>
  );
}

function edgesOf(links: Links | undefined): GraphEdge[] {
  return (links?.dependencies ?? []).map(({ task_id, blocker_id, resolved }) => ({
    id: `${blocker_id}-${task_id}`,
    from: blocker_id,
    to: task_id,
    faded: resolved,
  }));
}

function countBlockers({ dependencies }: Links, id: string): number {
  return dependencies.filter(({ task_id }) => task_id === id).length;
}

function countDependents({ dependencies }: Links, id: string): number {
  return dependencies.filter(({ blocker_id }) => blocker_id === id).length;
}
