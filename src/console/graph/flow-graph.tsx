import { useMemo } from "react";
import type { ReactNode } from "react";
import {
  BaseEdge,
  Controls,
  EdgeLabelRenderer,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from "@xyflow/react";
import type { Edge as FlowEdge, EdgeProps, Node, NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { Tone } from "../design/status.tsx";
import { useControlWords } from "./control-words.ts";
import { edgePath } from "./edge-path.ts";
import { layOut } from "./layout.ts";
import type { Box, Route } from "./layout.ts";
import "./flow-graph.css";

export type GraphBox = Box & { tone: Tone; strong?: boolean; faded?: boolean; content: ReactNode };
export type GraphEdge = {
  id: string;
  from: string;
  to: string;
  label?: ReactNode;
  labelWidth?: number;
  /** From 0 to 1: how much flows along it. */
  weight?: number;
  faded?: boolean;
};

type BoxNode = Node<{ box: GraphBox }, "box">;
type Bounds = { top: number; bottom: number };
type RoutedEdge = FlowEdge<{ edge: GraphEdge; route: Route; bounds: Bounds }, "routed">;

/** Boxes and arrows that can be moved about and looked at closely; where they stand is computed, never drawn by hand. */
export function FlowGraph({
  label,
  boxes,
  edges,
  rankGap,
  height,
  onOpen,
}: {
  label: string;
  boxes: readonly GraphBox[];
  edges: readonly GraphEdge[];
  rankGap?: number;
  /** At most. */
  height: number;
  onOpen?: (id: string) => void;
}) {
  const { nodes, arrows, needs } = useMemo(() => flowOf(boxes, edges, rankGap), [boxes, edges, rankGap]);
  const words = useControlWords();
  const key = nodes.map(({ id }) => id).join(" ");
  return (
    <div className="flow-graph" style={{ height: Math.min(height, needs) }} role="group" aria-label={label}>
      <ReactFlowProvider key={key}>
        <ReactFlow
          nodes={nodes}
          edges={arrows}
          nodeTypes={NODES}
          edgeTypes={EDGES}
          fitView
          fitViewOptions={FIT}
          minZoom={0.2}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={onOpen !== undefined}
          edgesFocusable={false}
          elementsSelectable={onOpen !== undefined}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
          ariaLabelConfig={words}
          onNodeClick={(_, { id }) => onOpen?.(id)}
        >
          <Controls showInteractive={false} />
        </ReactFlow>
      </ReactFlowProvider>
    </div>
  );
}

function flowOf(boxes: readonly GraphBox[], edges: readonly GraphEdge[], rankGap: number | undefined) {
  const layout = layOut(boxes, edges, rankGap === undefined ? {} : { rankGap });
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const nodes: BoxNode[] = layout.boxes.map(({ id, x, y, width, height }) => ({
    id,
    type: "box",
    position: { x, y },
    width,
    height,
    data: { box: byId.get(id) as GraphBox },
  }));
  const bounds = { top: 0, bottom: layout.height };
  const arrows: RoutedEdge[] = layout.routes.flatMap((route) => {
    const edge = edges.find(({ id }) => id === route.id);
    if (!edge) return [];
    return {
      id: edge.id,
      type: "routed",
      source: edge.from,
      target: edge.to,
      sourceHandle: route.leavesAside ? HANDLES.on[0] : HANDLES[route.way][0],
      targetHandle: route.comesAside ? HANDLES.on[1] : HANDLES[route.way][1],
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "var(--line-strong)" },
      data: { edge, route, bounds },
    };
  });
  const lanes = (way: Route["way"]) =>
    Math.max(0, ...layout.routes.filter((route) => route.way === way).map(({ lane }) => lane + 1));
  const needs = layout.height + (lanes("over") + lanes("back")) * LANE_ROOM_PX + AROUND_PX;
  return { nodes, arrows, needs };
}

/** What a lane of arrows above or below the boxes takes, and what is left free around all of it. */
const LANE_ROOM_PX = 30;
const AROUND_PX = 90;

const HANDLES = {
  on: ["right", "left"],
  over: ["top", "top-in"],
  back: ["bottom", "bottom-in"],
} as const;

function BoxView({ data: { box } }: NodeProps<BoxNode>) {
  return (
    <div className="graph-box" data-tone={box.tone} data-strong={box.strong} data-faded={box.faded}>
      <Handle type="target" position={Position.Left} id="left" />
      <Handle type="source" position={Position.Right} id="right" />
      <Handle type="source" position={Position.Top} id="top" />
      <Handle type="target" position={Position.Top} id="top-in" />
      <Handle type="source" position={Position.Bottom} id="bottom" />
      <Handle type="target" position={Position.Bottom} id="bottom-in" />
      {box.content}
    </div>
  );
}

function RoutedView({ id, sourceX, sourceY, targetX, targetY, markerEnd, data }: EdgeProps<RoutedEdge>) {
  if (!data) return null;
  const { edge, route, bounds } = data;
  const { path, labelX, labelY } = edgePath({ sourceX, sourceY, targetX, targetY }, route, bounds);
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        className={`graph-edge${edge.faded ? " faded" : ""}`}
        style={{ strokeWidth: 1.25 + (edge.weight ?? 0) * 2.75 }}
      />
      {edge.label !== undefined && (
        <EdgeLabelRenderer>
          <div
            className="graph-label"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            {edge.label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

// On a phone a part of it that can be read is worth more than all of it that cannot. Beside it stand the buttons.
const FIT = { padding: { y: "20px", right: "24px", left: "58px" }, minZoom: 0.62, maxZoom: 1.1 } as const;
const NODES = { box: BoxView };
const EDGES = { routed: RoutedView };
