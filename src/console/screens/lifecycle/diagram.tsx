import { useMemo } from "react";
import { addresses } from "../../addresses.ts";
import type { Lifecycle, LifecycleFigures } from "../../data/client.ts";
import { toneOf, useStatusLabel } from "../../design/status.tsx";
import { FlowGraph } from "../../graph/flow-graph.tsx";
import type { GraphBox, GraphEdge } from "../../graph/flow-graph.tsx";
import { textWidth } from "../../graph/measure.ts";
import { navigate } from "../../router.tsx";
import { useI18n } from "../../texts/i18n.tsx";

const MAX_NAMED_ACTIONS = 2;

/** A lifecycle as boxes and arrows, with the tasks in each status and the moves along each arrow. */
export function Diagram({
  lifecycle,
  figures,
}: {
  lifecycle: Lifecycle;
  figures: LifecycleFigures | undefined;
}) {
  const { t, f } = useI18n();
  const label = useStatusLabel(lifecycle.name);
  const boxes = useMemo(
    () =>
      lifecycle.statuses.map(({ name, final, meaning }): GraphBox => {
        const counts = figures?.statuses.find(({ status }) => status === name);
        const count = final ? (counts?.entered ?? 0) : (counts?.tasks ?? 0);
        return {
          id: name,
          width: Math.max(116, textWidth(label(name)) + 44),
          height: 56,
          tone: toneOf(lifecycle, name),
          strong: count > 0,
          faded: count === 0,
          content: (
            <span className="status-box" title={meaning ?? name}>
              <b>{label(name)}</b>
              <span className="num">{final ? `+${f.number(count)}` : f.number(count)}</span>
            </span>
          ),
        };
      }),
    [lifecycle, figures, label, f],
  );
  const edges = useMemo(
    () =>
      arrowsOf(lifecycle, figures).map(({ from, to, actions, count, maxCount }): GraphEdge => {
        const more = actions.length > MAX_NAMED_ACTIONS ? ` +${actions.length - MAX_NAMED_ACTIONS}` : "";
        const named = actions.slice(0, MAX_NAMED_ACTIONS).join(", ") + more;
        return {
          id: `${from}→${to}`,
          from,
          to,
          weight: maxCount === 0 ? 0 : count / maxCount,
          faded: count === 0,
          // Reserves room for a count, so that the layout stays when the first task moves along the arrow.
          labelWidth: textWidth(`${named} ${t.lifecycle.rate("999")}`, { size: 11.5, weight: 500 }),
          label: (
            <>
              {named}
              {count > 0 && <b> {t.lifecycle.rate(f.short(count))}</b>}
            </>
          ),
        };
      }),
    [lifecycle, figures, t, f],
  );
  return (
    <FlowGraph
      label={t.lifecycle.diagram}
      boxes={boxes}
      edges={edges}
      rankGap={70}
      height={620}
      onOpen={(status) => {
        navigate(`${addresses.table(lifecycle.name)}?status=${encodeURIComponent(status)}`);
      }}
    />
  );
}

type Arrow = { from: string; to: string; actions: string[]; count: number; maxCount: number };

/** Merges all rules between two statuses into one arrow. */
function arrowsOf(lifecycle: Lifecycle, figures: LifecycleFigures | undefined): Arrow[] {
  const arrows = new Map<string, Omit<Arrow, "maxCount">>();
  for (const { action, from, to } of lifecycle.rules) {
    if (to === null) continue;
    for (const status of from) {
      if (status === to) continue;
      const key = JSON.stringify([status, to]);
      const known = arrows.get(key) ?? { from: status, to, actions: [], count: 0 };
      if (!known.actions.includes(action)) known.actions.push(action);
      arrows.set(key, known);
    }
  }
  for (const { from, to, count } of figures?.moves ?? []) {
    const known = arrows.get(JSON.stringify([from, to]));
    if (known) known.count += count;
  }
  const maxCount = Math.max(0, ...[...arrows.values()].map(({ count }) => count));
  return [...arrows.values()].map((arrow) => ({ ...arrow, maxCount }));
}
