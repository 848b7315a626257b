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

const WIDEST = 230;
const ROW_PX = 92;

/** What the task waits for on its left, who waits for it on its right. */
export function LinkGraph({ task }: { task: Task }) {
  const { t } = useI18n();
  const { data: links } = useQuery(queries.links(task.id));
  const { data: lifecycle } = useQuery(queries.lifecycle(task.lifecycle));
  const boxes = useMemo(
    () =>
      (links?.tasks ?? []).map((one): GraphBox => ({
        id: one.id,
        width: Math.min(WIDEST, Math.max(140, textWidth(one.title) + 28)),
        height: 62,
        tone: toneOf(lifecycle, one.status),
        strong: one.id === task.id,
        content: (
          <>
            <b className="cut" title={one.title}>
              {one.title}
            </b>
            <StatusChip lifecycle={one.lifecycle} status={one.status} />
          </>
        ),
      })),
    [links, lifecycle, task.id],
  );
  const edges = useMemo(() => edgesOf(links), [links]);
  if (!links || (links.dependencies.length === 0 && links.hidden === 0)) return null;
  const ranks = Math.max(1, ...countsByDepth(links, task.id));
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
          height={Math.min(420, 70 + ranks * ROW_PX)}
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

/** How many stand beside each other, roughly: by how many edges lead to and from the task. */
function countsByDepth({ dependencies }: Links, id: string): number[] {
  return [
    dependencies.filter(({ task_id }) => task_id === id).length,
    dependencies.filter(({ blocker_id }) => blocker_id === id).length,
  ];
}
